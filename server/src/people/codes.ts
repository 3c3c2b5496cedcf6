/**
 * One-time codes. A code belongs to the contact, whoever asked for it: while it is valid, every message carries the
 * same one, so a stranger who asks first does not make the owner's code void. It works once, within ten minutes of each
 * message that carried it. All unknown networks together cause one message in ten minutes; known networks have limits
 * of their own. Known and unknown contacts cause the same statements and get the same answer; the message is sent
 * afterwards, where nobody can measure it.
 */

import { latinDigits } from '@dargah/core/persian-text.ts';
import { HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { RandomBytes } from '../core/ids.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import type { Attempts } from './attempts.ts';
import {
  type CodeLimits,
  knownOrders,
  knownTries,
  MAX_WRONG_PER_CODE,
  repeatedOrders,
  shortCodeTries,
  strangersOrders,
  strangersTries,
} from './code-limits.ts';
import type { CodeName, CodePurpose, CodeRow } from './code-rows.ts';
import * as rows from './code-rows.ts';
import type { Contact } from './contacts.ts';
import type { KnownNetworks } from './known-networks.ts';
import type { MessageVolume } from './message-volume.ts';
import { peopleReasons } from './reasons.ts';
import { codeOfSeed, digestOfCode, sameDigest } from './secrets-of-people.ts';

const SHORT_DIGITS = 6;
/** Nobody guesses these, however many networks they come from. */
const LONG_DIGITS = 12;
export const CODE_LIFETIME_MS = 10 * MINUTE_MS;
const RESEND_MS = MINUTE_MS;
const SEED_BYTES = 16;

export interface OrderedCode {
  /** Undefined when a message with the code went out before and none is sent now. */
  code: string | undefined;
  digits: number;
  expiresInMs: number;
  /** How long this network must wait for another message. */
  resendAfterMs: number;
}

export interface CodesOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  attempts: Attempts;
  networks: KnownNetworks;
  volume: MessageVolume;
  /** Keys codes and their digests. */
  pepper: string;
  limits: CodeLimits;
}

export class Codes {
  readonly #options: CodesOptions;

  constructor(options: CodesOptions) {
    this.#options = options;
  }

  /** Makes a code, or returns the one that is still valid; the caller decides whether it is sent. */
  async order(contact: Contact, purpose: CodePurpose, address: string): Promise<OrderedCode> {
    const { attempts, networks, limits, volume } = this.#options;
    const name = { value: contact.value, purpose };
    await attempts.count(repeatedOrders(name.value, address));
    const own = [...knownOrders(name.value, address, limits), volume.known()];
    const isKnown = await networks.knows(contact, address);
    // A known network that has used up its limit is not refused: it asks as strangers do.
    if (isKnown && (await attempts.hasRoom(own))) {
      await attempts.count(own);
      return this.#send(name, false);
    }
    const before = await rows.findCode(this.#options.db, name);
    if (before && this.#strangersWaitMs(before) > 0) return this.#sentBefore(name, before);
    await attempts.count([...strangersOrders(address, limits), ...(await volume.strangers(address))]);
    return this.#send(name, true);
  }

  /**
   * Uses the code up, or throws `wrong_code`. A wrong try counts against its own network alone. All strangers together
   * also have few tries at short codes: when they are used up, the code is void for strangers, and the next message
   * carries a long one.
   */
  async use(contact: Contact, purpose: CodePurpose, input: string, address: string): Promise<void> {
    const { pepper, attempts, networks, limits } = this.#options;
    const name = { value: contact.value, purpose };
    const digest = digestOfCode(pepper, name.value, purpose, latinDigits(input).replace(/[\s-]/g, ''));
    const own = knownTries(name.value, address, limits);
    const asKnown = (await networks.knows(contact, address)) && (await attempts.hasRoom(own));
    let triesLeft = 0;
    const isRight = await attempts.guess(asKnown ? own : strangersTries(name.value, address, limits), (left) => {
      triesLeft = left;
      return asKnown ? this.#judge(name, digest) : this.#judgeStranger(name, digest);
    });
    if (!isRight)
      throw new GatewayError('wrong_code', {
        param: 'code',
        reason: peopleReasons.codeTriesLeft(triesLeft),
        detail: { tries_left: triesLeft },
      });
  }

  async forgetOld(): Promise<void> {
    await rows.FORGET_OLD_CODES.run(this.#options.db, [new Date(this.#options.clock.now() - HOUR_MS)]);
    await this.#options.attempts.forgetOld();
  }

  /** Strangers caused a message a short while ago: its code also serves whoever asks now, unless it has ended. */
  async #sentBefore(name: CodeName, row: CodeRow): Promise<OrderedCode> {
    const { clock, attempts, limits } = this.#options;
    const nowMs = clock.now();
    const resendAfterMs = this.#strangersWaitMs(row);
    const digits = this.#digitsOf(name, row);
    const isOpen =
      digits > SHORT_DIGITS ||
      (row.tries < MAX_WRONG_PER_CODE && (await attempts.hasRoom(shortCodeTries(name.value, limits))));
    if (!rows.isAlive(row, nowMs) || !isOpen)
      throw new GatewayError('rate_limited', { retryAfterMs: resendAfterMs, instead: peopleReasons.nextMessageLater });
    return { code: undefined, digits, expiresInMs: row.expiresAt.getTime() - nowMs, resendAfterMs };
  }

  async #send(name: CodeName, byStranger: boolean): Promise<OrderedCode> {
    const { db, attempts, limits } = this.#options;
    const isShortOpen = await attempts.hasRoom(shortCodeTries(name.value, limits));
    const { row, code } = await db.transaction(async (tx) => {
      const before = await rows.lockCode(tx, name);
      // When several strangers ask at the same moment, only the first causes the message.
      if (byStranger && this.#strangersWaitMs(before) > 0) return { row: before, code: undefined };
      return this.#renew(tx, name, before, { digits: isShortOpen ? SHORT_DIGITS : LONG_DIGITS, byStranger });
    });
    if (code === undefined) return this.#sentBefore(name, row);
    // Strangers get the same answer and learn more when they ask again: the first answer must not tell whether a
    // contact is known here.
    return { code, digits: code.length, expiresInMs: CODE_LIFETIME_MS, resendAfterMs: RESEND_MS };
  }

  /**
   * Sends the valid code again, so that two messages do not make each other void. A new code replaces it once it is
   * older than its message said, was tried too often by strangers, or is shorter than it must be now.
   */
  async #renew(
    tx: Queryable,
    name: CodeName,
    before: CodeRow,
    { digits, byStranger }: { digits: number; byStranger: boolean },
  ): Promise<{ row: CodeRow; code: string }> {
    const { clock, pepper, randomBytes } = this.#options;
    const now = new Date(clock.now());
    const living = rows.isAlive(before, now.getTime()) && isYoung(before, now) ? this.#codeOf(name, before) : undefined;
    const isVoid = living?.length === SHORT_DIGITS && before.tries >= MAX_WRONG_PER_CODE;
    const kept = living !== undefined && living.length >= digits && !isVoid;
    const seed = kept ? before.seed : Buffer.from(randomBytes(SEED_BYTES));
    const code = kept ? living : codeOfSeed(pepper, name, seed as Buffer, digits);
    const row: CodeRow = {
      digest: digestOfCode(pepper, name.value, name.purpose, code),
      tries: kept ? before.tries : 0,
      expiresAt: new Date(now.getTime() + CODE_LIFETIME_MS),
      seed,
      digits: code.length,
      madeAt: kept ? before.madeAt : now,
      strangersAt: byStranger ? now : before.strangersAt,
    };
    await rows.writeCode(tx, name, row, now);
    return { row, code };
  }

  #judge(name: CodeName, digest: Buffer): Promise<boolean> {
    const { db, clock } = this.#options;
    return db.transaction(async (tx) => {
      const nowMs = clock.now();
      const row = await rows.findCode(tx, name, true);
      if (!row || !rows.isAlive(row, nowMs) || !sameDigest(row.digest, digest)) return false;
      await rows.endCode(tx, name, new Date(nowMs));
      return true;
    });
  }

  async #judgeStranger(name: CodeName, digest: Buffer): Promise<boolean> {
    const { db, clock, attempts, limits } = this.#options;
    const row = await rows.findCode(db, name);
    // A try at no valid code must not use up the contact's tries at short codes.
    if (!row || !rows.isAlive(row, clock.now())) return false;
    const isLong = this.#digitsOf(name, row) > SHORT_DIGITS;
    if (!isLong && row.tries >= MAX_WRONG_PER_CODE) return false;
    const judge = () =>
      db.transaction(async (tx) => {
        const now = new Date(clock.now());
        const tried = await rows.countTry(tx, name, now, isLong ? MAX_COUNT : MAX_WRONG_PER_CODE);
        if (!tried || !sameDigest(tried.digest, digest)) return false;
        await rows.endCode(tx, name, now);
        return true;
      });
    if (isLong) return judge();
    return attempts.guess(shortCodeTries(name.value, limits), judge).catch((error: unknown) => {
      // Strangers have used up their tries at short codes: this one is void for them.
      if (error instanceof GatewayError && error.code === 'rate_limited') return false;
      throw error;
    });
  }

  #strangersWaitMs(row: CodeRow): number {
    return rows.strangersWaitMs(row, this.#options.clock.now());
  }

  #digitsOf(name: CodeName, row: CodeRow): number {
    return this.#codeOf(name, row)?.length ?? SHORT_DIGITS;
  }

  /**
   * Undefined where the version before, which runs beside this one for a while, has overwritten the code with its own.
   */
  #codeOf(name: CodeName, { seed, digits, digest }: CodeRow): string | undefined {
    if (seed === null || digits === null) return undefined;
    const { pepper } = this.#options;
    const code = codeOfSeed(pepper, name, seed, digits);
    return sameDigest(digest, digestOfCode(pepper, name.value, name.purpose, code)) ? code : undefined;
  }
}

const MAX_COUNT = 2_000_000_000;

/** True while what its first message said about its lifetime still holds. */
function isYoung({ madeAt }: CodeRow, now: Date): boolean {
  return madeAt !== null && now.getTime() - madeAt.getTime() < CODE_LIFETIME_MS;
}
