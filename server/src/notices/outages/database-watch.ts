/**
 * While the database is unreachable no notice can be written. One alert goes from memory straight to the messenger,
 * once per process and hour, to the addresses that were read before; when the database is back, the outage is recorded
 * and its end told.
 */
import type { Language } from '@dargah/core/text.ts';
import { HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../../core/clock.ts';
import { makeId, type RandomBytes } from '../../core/ids.ts';
import type { Database } from '../../platform/db/index.ts';
import type { Log } from '../../platform/log.ts';
import { noticeMessage } from '../events.ts';
import type { MessageSender } from '../message-sender.ts';
import { INSERT_DATABASE_OUTAGE } from './outage-rows.ts';

export interface DirectAddress {
  channel: 'email' | 'sms';
  to: string;
  language: Language;
}

export interface DatabaseWatchOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  log: Log;
  messenger: MessageSender;
  /** The people whom this alert reaches, read while the database is reachable. */
  addresses(): Promise<DirectAddress[]>;
}

const AWAY_MS = MINUTE_MS;

export class DatabaseWatch {
  readonly #options: DatabaseWatchOptions;
  #addresses: DirectAddress[] = [];
  #awaySince: number | undefined;
  #toldAt = Number.NEGATIVE_INFINITY;
  #told = false;

  constructor(options: DatabaseWatchOptions) {
    this.#options = options;
  }

  async look(): Promise<void> {
    const { addresses, clock } = this.#options;
    const asked = clock.now();
    try {
      this.#addresses = await addresses();
    } catch {
      this.#awaySince ??= asked;
      await this.#tell();
      return;
    }
    await this.#back();
  }

  async #tell(): Promise<void> {
    const { clock, messenger, log } = this.#options;
    const nowMs = clock.now();
    const since = this.#awaySince ?? nowMs;
    if (nowMs - since < AWAY_MS || nowMs - this.#toldAt < HOUR_MS) return;
    this.#toldAt = nowMs;
    this.#told = true;
    const { title, text } = noticeMessage('database.away', { phase: 'opened', since: new Date(since).toISOString() });
    for (const { channel, to, language } of this.#addresses) {
      if (!messenger.can(channel)) continue;
      const words = { subject: title[language], text: text[language], language };
      try {
        await messenger.deliver({ channel, to, kind: 'notice', ...words });
      } catch (error) {
        log.warn({ channel, cause: (error as Error).message }, 'nobody was told that the database is away');
      }
    }
  }

  /** Replicas that were cut off together record it once. The end is told to everybody who was told of the beginning. */
  async #back(): Promise<void> {
    const since = this.#awaySince;
    if (since === undefined) return;
    const { db, clock, randomBytes } = this.#options;
    const nowMs = clock.now();
    if (nowMs - since >= AWAY_MS)
      await INSERT_DATABASE_OUTAGE.run(db, [
        makeId('out', nowMs, randomBytes),
        new Date(since),
        new Date(nowMs),
        this.#told ? 'open:critical' : null,
      ]);
    this.#awaySince = undefined;
    this.#told = false;
  }
}
