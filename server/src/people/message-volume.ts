/**
 * How many codes and invitations are sent in a day, all together: each message costs money. The day's volume has three parts that
 * cannot use up each other, so that strangers who ask for codes leave the messages of known devices alone:
 *
 *   1/2  codes to people who ask from a network that they have signed in from
 *   3/8  codes that are asked for from unknown networks
 *   1/8  invitations
 *
 * Half of the strangers' part is for everybody; it grows with the day, so that a storm of an hour does not use up the evening. The
 * other half is kept for networks that have caused few messages today: their first messages go out although a thousand others ask
 * for codes all day long.
 */

import { DAY_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import { widestNetworkOf } from '../core/caller-network.ts';
import type { Clock } from '../core/clock.ts';
import type { AttemptLimit, Attempts } from './attempts.ts';

export interface VolumeSettings {
  /** Codes and invitations of all callers in a day. Read at every use. */
  messagesPerDay: number;
}

/** This share of what is for everybody is available when the day begins; the rest is released evenly. */
const AT_ONCE = 1 / 4;
const WAIT_MS = 10 * MINUTE_MS;
/** The first messages of each network, up to this many, use the part that is reserved for such networks. */
const FIRST_OF_NETWORK = 3;

export class MessageVolume {
  readonly #attempts: Attempts;
  readonly #settings: VolumeSettings;
  readonly #clock: Clock;

  constructor(attempts: Attempts, settings: VolumeSettings, clock: Clock) {
    this.#attempts = attempts;
    this.#settings = settings;
    this.#clock = clock;
  }

  known(): AttemptLimit {
    return { counter: 'messages-known', max: this.#part(4), spanMs: DAY_MS };
  }

  invitations(): AttemptLimit {
    return { counter: 'messages-invitations', max: this.#part(1), spanMs: DAY_MS };
  }

  /** The limits that a message for a stranger counts on, narrowest first. */
  async strangers(address: string): Promise<AttemptLimit[]> {
    const all = this.#part(3);
    const elapsed = (this.#clock.now() % DAY_MS) / DAY_MS;
    const max = Math.max(1, Math.floor((all / 2) * (AT_ONCE + (1 - AT_ONCE) * elapsed)));
    const first = { counter: `messages-first:${widestNetworkOf(address)}`, max: FIRST_OF_NETWORK, spanMs: DAY_MS };
    const shared = { counter: 'messages-open', max, spanMs: DAY_MS, waitMs: WAIT_MS };
    const own = (await this.#attempts.hasRoom([first])) ? first : shared;
    return [own, { counter: 'messages-strangers', max: all, spanMs: DAY_MS }];
  }

  #part(eighths: number): number {
    return Math.max(1, Math.floor((this.#settings.messagesPerDay * eighths) / 8));
  }
}
