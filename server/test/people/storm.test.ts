/**
 * A hundred thousand requests from a thousand networks, against one number and against all: a known device signs in at once, a new
 * one within ten minutes, nobody guesses a code, and the day's messages stay within their bound.
 * @tier services
 */
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { networkOf } from '../../src/core/caller-network.ts';
import { GatewayError } from '../../src/core/errors.ts';
import { Attempts } from '../../src/people/attempts.ts';
import { CODE_LIMITS, MAX_WRONG_PER_CODE } from '../../src/people/code-limits.ts';
import { Codes } from '../../src/people/codes.ts';
import { parseContact } from '../../src/people/contacts.ts';
import { KnownNetworks } from '../../src/people/known-networks.ts';
import { MessageVolume } from '../../src/people/message-volume.ts';
import { TablesInMemory } from './tables-in-memory.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const PER_DAY = 20_000;
const REQUESTS = 100_000;
const HOME = '203.0.113.7';
const ABROAD = '198.51.100.7';
/** A thousand networks, one address of each. */
const THIEVES = Array.from({ length: 1_000 }, (_, n) => `10.${n >> 8}.${n & 255}.9`);
const thief = (n: number) => THIEVES[n % THIEVES.length] ?? '';
const number = (n: number) => `0912${String(n).padStart(7, '0')}`;

let tables: TablesInMemory;
let clock: { ms: number; now(): number; monotonicMs(): number };
let codes: Codes;
/** What each number received, newest last. */
let phones: Map<string, { code: string; at: number; by: string }[]>;
let guessed: string[];
let wrong: number;

beforeEach(() => {
  tables = new TablesInMemory();
  clock = { ms: 20_000 * DAY, now: () => clock.ms, monotonicMs: () => clock.ms };
  const { db } = tables;
  const attempts = new Attempts(db, clock);
  codes = new Codes({
    db,
    clock,
    randomBytes,
    attempts,
    networks: new KnownNetworks(db, clock),
    volume: new MessageVolume(attempts, { messagesPerDay: PER_DAY }, clock),
    pepper: 'pepper',
    limits: CODE_LIMITS,
  });
  phones = new Map();
  guessed = [];
  wrong = 0;
});

const live = (to: string, address: string) => tables.known.add(`${to} ${networkOf(address)}`);
const refusalOf = (error: unknown): GatewayError => {
  if (error instanceof GatewayError) return error;
  throw error;
};

async function ask(to: string, address: string): Promise<GatewayError | undefined> {
  try {
    const { code } = await codes.order(parseContact(to), 'sign-in', address);
    const phone = phones.get(to) ?? [];
    if (code !== undefined) phone.push({ code, at: clock.ms, by: address });
    phones.set(to, phone);
    return undefined;
  } catch (error) {
    return refusalOf(error);
  }
}

async function enter(to: string, code: string, address: string): Promise<boolean> {
  try {
    await codes.use(parseContact(to), 'sign-in', code, address);
    return true;
  } catch (error) {
    refusalOf(error);
    return false;
  }
}

async function guess(to: string, n: number, address: string): Promise<void> {
  const digits = phones.get(to)?.at(-1)?.code.length ?? 6;
  const code = String((n * 7_919) % 10 ** digits).padStart(digits, '0');
  wrong++;
  if (await enter(to, code, address)) guessed.push(to);
}

/** Asks as a person does, and types what the phone shows. Returns after how many minutes that worked; the storm goes on. */
async function signIn(to: string, address: string, storm: (minute: number) => Promise<void>): Promise<number> {
  for (let minute = 0; minute <= 30; minute++) {
    const refused = await ask(to, address);
    const shown = phones.get(to)?.at(-1);
    if (!refused && shown && (await enter(to, shown.code, address))) return minute;
    await storm(minute);
    clock.ms += MINUTE;
  }
  return Number.POSITIVE_INFINITY;
}

const messagesWithin = (to: string, ms: number, from: (address: string) => boolean) => {
  const times = (phones.get(to) ?? []).filter(({ by }) => from(by)).map(({ at }) => at);
  return Math.max(0, ...times.map((at) => times.filter((other) => other >= at && other < at + ms).length));
};

describe('against one number', () => {
  const victim = number(1);
  let n = 0;
  /** Most ask for codes, some try one. */
  const storm = async (requests: number) => {
    for (const end = n + requests; n < end; n++)
      if (n % 7 === 0) await guess(victim, n, thief(n));
      else await ask(victim, thief(n));
  };

  it('a known device signs in at once and a new one within ten minutes, while the storm goes on', async () => {
    n = 0;
    live(victim, HOME);
    await storm(REQUESTS);
    const goesOn = () => storm(2_000);
    expect(await signIn(victim, HOME, goesOn)).toBe(0);
    expect(await signIn(victim, ABROAD, goesOn)).toBeLessThanOrEqual(10);
    // Hours later the thieves have not given up: codes are long by then.
    for (let span = 0; span < 100; span++) {
      await storm(70);
      clock.ms += 10 * MINUTE;
    }
    expect(await signIn(victim, '192.0.2.7', goesOn)).toBeLessThanOrEqual(10);
    clock.ms += MINUTE;
    expect(await signIn(victim, HOME, goesOn)).toBe(0);
    expect(guessed).toEqual([]);
    expect(messagesWithin(victim, 10 * MINUTE, (by) => by !== HOME)).toBe(1);
    expect(phones.get(victim)?.at(-1)?.code).toHaveLength(12);
  });

  it('short codes are tried no more often than the arithmetic says, from however many networks', async () => {
    n = 0;
    const judged = () => [...tables.codes.values()].reduce((sum, { tries }) => sum + tries, 0);
    let all = 0;
    let before = 0;
    for (let span = 0; span < 2 * 144; span++) {
      await ask(victim, thief(span));
      const isShort = phones.get(victim)?.at(-1)?.code.length === 6;
      before = judged();
      for (let m = 0; m < 60; m++) await guess(victim, n++, thief(n));
      if (isShort) all += judged() - before;
      clock.ms += 10 * MINUTE;
    }
    // Twenty at each of three codes of a day, on two days; then codes are long, and nothing else stops the thieves.
    expect(all).toBe(CODE_LIMITS.shortMonthly);
    expect(judged()).toBeGreaterThan(MAX_WRONG_PER_CODE);
    expect(guessed).toEqual([]);
  });
});

describe('against all', () => {
  it('known devices sign in at once, new ones within ten minutes, and the volume of the day holds', async () => {
    const customers = 2_000;
    for (let n = 0; n < customers; n++) live(number(n), HOME);
    let n = 0;
    const storm = async (requests: number) => {
      for (const end = n + requests; n < end; n++)
        if (n % 4 === 3) await guess(number((n * 31) % customers), n, thief(n));
        else await ask(number((n * 31) % (3 * customers)), thief(n));
    };
    for (let minute = 0; minute < 50; minute++) {
      await storm(REQUESTS / 50);
      clock.ms += MINUTE;
    }
    const goesOn = () => storm(1_000);
    for (const customer of [3, 700, 1_500]) {
      expect(await signIn(number(customer), HOME, goesOn)).toBe(0);
      expect(await signIn(number(customer), ABROAD, goesOn)).toBeLessThanOrEqual(10);
    }
    expect(guessed).toEqual([]);
    const messages = [...phones.values()].flat();
    expect(messages.filter(({ by }) => by !== HOME).length).toBeLessThanOrEqual((PER_DAY * 3) / 8);
    expect(messages.filter(({ by }) => by === HOME).length).toBeLessThanOrEqual(PER_DAY / 2);
    const most = Math.max(...[...phones.keys()].map((to) => messagesWithin(to, 10 * MINUTE, (by) => by !== HOME)));
    expect(most).toBe(1);
    expect(wrong).toBeGreaterThan(20_000);
  });

  it('the volume of a day holds, whoever asks', async () => {
    for (let n = 0; n < 10_000; n++) await ask(number(n), `10.${n >> 8}.${n & 255}.1`);
    const messages = [...phones.values()].flat();
    expect(messages).toHaveLength((PER_DAY * 3) / 8);
  });
});

it('a flood that the first limit refuses costs no statement', async () => {
  for (let n = 0; n < 10_050; n++) await ask(number(1), THIEVES[0] ?? '');
  expect(tables.statements).toBeLessThan(30);
  expect(phones.get(number(1))).toHaveLength(1);
  // P1 and P2: the number, and everybody else, are as free as before.
  expect(await ask(number(2), ABROAD)).toBeUndefined();
  expect(await ask(number(1), ABROAD)).toBeUndefined();
});
