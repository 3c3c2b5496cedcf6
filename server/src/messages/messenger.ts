/** Carries messages: each carrier of the channel in its order, again after a while where that may help. */

import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { Background } from '../platform/background.ts';
import type { Queryable } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import {
  type CarrierTrial,
  CarryFailure,
  type MessageCarrier,
  type MessageChannel,
  type Messenger,
  type OutgoingMessage,
} from './message.ts';
import { FORGET_KEPT_MESSAGES, KEEP_SANDBOX_MESSAGE } from './outbox-rows.ts';

const RETRIES_MS = [1_000, 5_000];
/** Codes are valid for ten minutes, so messages that wait longer are useless, and waiting ones take memory. */
const MAX_WAITING = 1_000;

export interface MessengerOptions {
  /** Read at every message, because operators change them while the service runs. */
  carriers(): readonly MessageCarrier[];
  background: Background;
  log: Log;
}

export function createMessenger({ carriers, background, log }: MessengerOptions): Messenger {
  let waiting = 0;
  const of = (channel: MessageChannel) => carriers().filter((carrier) => carrier.channel === channel);
  const carry = async (message: OutgoingMessage, among: readonly MessageCarrier[], tries: number): Promise<void> => {
    if (among.length === 0) {
      log.warn({ channel: message.channel, kind: message.kind }, 'message not sent: nobody carries this channel');
      return;
    }
    const { sent, again } = await tryEach(message, among, log);
    const pause = RETRIES_MS[tries];
    if (sent || again.length === 0 || pause === undefined || waiting >= MAX_WAITING) return;
    waiting++;
    background.after(pause, 'message', () => {
      waiting--;
      return carry(message, again, tries + 1);
    });
  };
  return {
    sandbox: false,
    can: (channel) => carriers().some((carrier) => carrier.channel === channel),
    send: (message) => background.detach(carry(message, of(message.channel), 0), 'message'),
    async deliver(message) {
      const { sent, cause } = await tryEach(message, of(message.channel), log);
      if (!sent) throw cause ?? new Error(`nobody carries ${message.channel}`);
    },
    get carriers() {
      return carriers();
    },
    async trial(message) {
      const trials: CarrierTrial[] = [];
      for (const carrier of of(message.channel)) {
        const failure = await carrier.carry(message).then(
          () => null,
          (error: unknown) => (error instanceof Error ? error.message : String(error)),
        );
        trials.push({ carrier: carrier.name, failure });
      }
      return trials;
    },
  };
}

interface Round {
  sent: boolean;
  /** Carriers that may take it later. */
  again: MessageCarrier[];
  cause?: unknown;
}

/**
 * Tries one carrier after the other until one accepts the message: what stops one for good (no credit, a wrong key)
 * does not stop the next.
 */
async function tryEach(message: OutgoingMessage, among: readonly MessageCarrier[], log: Log): Promise<Round> {
  const round: Round = { sent: false, again: [] };
  for (const carrier of among) {
    try {
      await carrier.carry(message);
      log.info({ carrier: carrier.name, kind: message.kind }, 'message sent');
      return { ...round, sent: true };
    } catch (error) {
      round.cause = error;
      log.warn({ carrier: carrier.name, kind: message.kind, cause: (error as Error).message }, 'message not sent');
      if (!(error instanceof CarryFailure) || error.retry) round.again.push(carrier);
    }
  }
  return round;
}

export interface SandboxMessengerOptions {
  db: Queryable;
  clock: Clock;
  randomBytes: RandomBytes;
  background: Background;
  /** Prints a line in the terminal. */
  say(line: string): void;
}

export const SANDBOX_KEPT_MS = DAY_MS;

/**
 * Used when nothing is configured: messages are kept for the operator to read, and each is one line in the terminal.
 */
export function createSandboxMessenger({
  db,
  clock,
  randomBytes,
  background,
  say,
}: SandboxMessengerOptions): Messenger {
  const keep = async ({ channel, to, kind, subject, text }: OutgoingMessage) => {
    const now = clock.now();
    await FORGET_KEPT_MESSAGES.run(db, [new Date(now - SANDBOX_KEPT_MS)]);
    await KEEP_SANDBOX_MESSAGE.run(db, [
      makeId('msg', now, randomBytes),
      new Date(now),
      channel,
      to,
      kind,
      channel === 'email' ? subject : null,
      text,
    ]);
  };
  const show = ({ channel, to, text }: OutgoingMessage) =>
    say(`sandbox ${channel} to ${to}: ${text.replaceAll('\n', ' ')}`);
  return {
    sandbox: true,
    can: (_channel: MessageChannel) => true,
    send(message) {
      show(message);
      background.detach(keep(message), 'outbox');
    },
    async deliver(message) {
      await keep(message);
      show(message);
    },
    carriers: [],
    async trial(message) {
      await keep(message);
      return [];
    },
  };
}
