/** Guessing passwords and second factors: how often, from one network and from many, and whom that keeps out. */
import { generateSync } from 'otplib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/core/errors.ts';
import type { Entry } from '../../src/people/index.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { HOUR, openPeopleStage, outcomes, type PeopleStage, times } from './people-stage.ts';
import { QuickPasswords } from './quick-passwords.ts';

const PASSWORD = 'correct horse battery';
/** A network has ten guesses at a person in an hour, all strangers together thirty. */
const MAX = 10;
const STRANGERS = 30;

let database: TemporaryDatabase;
let stage: PeopleStage;
beforeAll(async () => {
  database = await openTemporaryDatabase();
  const passwordLimits = { perContactHourly: MAX, strangersHourly: STRANGERS };
  stage = await openPeopleStage(database.db, { passwords: new QuickPasswords(), passwordLimits });
}, 120_000);
afterAll(() => database?.remove());
/** Limits count in whole hours: nothing of a test reaches into the next hour. */
beforeEach(() => {
  stage.clock.ms += HOUR - (stage.clock.ms % HOUR) + 1_000;
});

let networks = 0;
/** An address of a network that nobody has used. */
const anywhere = () => `10.${networks >> 8}.${networks++ & 255}.1`;
const signInClient = (address: string) => ({ address, agent: 'suite', former: undefined });
const codeOf = (error: unknown): string => {
  if (error instanceof GatewayError) return error.code;
  throw error;
};
const outcome = (entry: Promise<Entry>) => entry.then(({ kind }) => kind as string, codeOf);
const signIn = (to: string, password: string, address = anywhere()) =>
  outcome(stage.people.signIn.withPassword(to, password, signInClient(address)));
const asOperator = (password: string, isFirst: boolean, address = anywhere()) =>
  outcome(stage.people.signIn.withOperatorPassword(password, isFirst, signInClient(address)));

async function inTurn(count: number, attempt: (n: number) => Promise<string>): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (let n = 0; n < count; n++) {
    const code = await attempt(n);
    found[code] = (found[code] ?? 0) + 1;
  }
  return found;
}
/** Strangers of ever new networks guess until nobody of them may any more. */
const lockOut = (to: string) => inTurn(STRANGERS + 1, (n) => signIn(to, `guess ${n}`));
const LOCKED = { wrong_credentials: STRANGERS, rate_limited: 1 };

async function personAtHome() {
  const { people, clock } = stage;
  const { id, to } = await stage.person();
  const home = anywhere();
  const entry = await people.sessions.begin(id, 'mobile', false, signInClient(home), undefined);
  await people.signIn.setPassword(id, undefined, PASSWORD, { sessionId: entry.id, address: home }, () => false);
  clock.ms += 1_000;
  return { id, to, home, sessionId: entry.id };
}

describe('passwords', () => {
  it('cannot be tried on one person from a thousand networks, all at once', async () => {
    const { to } = await personAtHome();
    const { refused } = await outcomes(
      times(STRANGERS - 2, (n) => stage.people.signIn.withPassword(to, `guess ${n}`, signInClient(anywhere()))),
    );
    expect(refused).toEqual({ wrong_credentials: STRANGERS - 2 });
    const rest = await outcomes(
      times(10, (n) => stage.people.signIn.withPassword(to, `more ${n}`, signInClient(anywhere()))),
    );
    expect(rest.refused).toEqual({ wrong_credentials: 2, rate_limited: 8 });
    expect(await signIn(to, PASSWORD)).toBe('rate_limited');
    stage.clock.ms += HOUR;
    expect(await signIn(to, PASSWORD)).toBe('session');
  });

  it('of one network are counted apart: its guesses keep nobody else out', async () => {
    const { to } = await personAtHome();
    const thief = anywhere();
    const guesses = await inTurn(MAX + 50, (n) => signIn(to, `guess ${n}`, thief));
    expect(guesses).toEqual({ wrong_credentials: MAX, rate_limited: 50 });
    expect(await signIn(to, PASSWORD)).toBe('session');
  });
});

describe('strangers who guess', () => {
  it('do not keep a person out where they have signed in before, and keep out everybody else', async () => {
    const { to, home } = await personAtHome();
    expect(await lockOut(to)).toEqual(LOCKED);
    // Another address of the same network.
    expect(await signIn(to, PASSWORD, home.replace(/\.1$/, '.77'))).toBe('session');
    expect(await signIn(to, PASSWORD)).toBe('rate_limited');
  });

  it('do not keep the operator out either, who has nothing but a password', async () => {
    const home = anywhere();
    const strangers = () => inTurn(STRANGERS + 1, () => asOperator('not the operator', false));
    expect(await strangers()).toEqual(LOCKED);
    // The password that the first start made cannot be guessed: its owner comes from anywhere, also for the first time.
    expect(await asOperator('the first one', true, home)).toBe('session');
    // One that a person has chosen can be: it is closed to strangers, and open where its owner has signed in.
    const { id } = await stage.people.operator.person();
    const { id: sessionId } = await stage.people.sessions.begin(id, 'password', false, signInClient(home), undefined);
    const isFirst = (text: string) => text === 'the first one';
    await stage.people.signIn.setPassword(id, 'the first one', PASSWORD, { sessionId, address: home }, isFirst);
    stage.clock.ms += HOUR;
    expect(await strangers()).toEqual(LOCKED);
    expect(await asOperator(PASSWORD, false, home)).toBe('session');
    expect(await asOperator(PASSWORD, false)).toBe('rate_limited');
    // The first one ends with that, and opens no second window.
    expect(await asOperator('the first one', true)).toBe('rate_limited');
    stage.clock.ms += HOUR;
    expect(await asOperator('the first one', true)).toBe('wrong_credentials');
  });

  it('have as many guesses in a known network as anywhere, and no more for having both', async () => {
    const { to, home } = await personAtHome();
    const guess = (n: number) => signIn(to, `guess ${n}`, home.replace(/\.1$/, `.${2 + n}`));
    expect(await inTurn(MAX + 1, guess)).toEqual({ wrong_credentials: MAX, rate_limited: 1 });
    expect(await lockOut(to)).toEqual(LOCKED);
    expect(await signIn(to, PASSWORD, home)).toBe('rate_limited');
  });

  it('make no network known by guessing, by a code for somebody else, or by a password without its second factor', async () => {
    const { id, to, home } = await personAtHome();
    const { secret } = await stage.people.secondFactor.begin(id, 'x');
    const epoch = Math.floor(stage.clock.ms / 1_000);
    await stage.people.secondFactor.confirm(id, generateSync({ secret, epoch }));
    const thief = anywhere();
    const own = stage.number();
    const code = await stage.code({ kind: 'mobile', value: own }, 'sign-in', thief);
    expect(await outcome(stage.people.signIn.withCode(own, code, {}, signInClient(thief)))).toBe('session');
    // The password is right, and the second step is never taken.
    expect(await signIn(to, PASSWORD, thief)).toBe('second-factor');
    expect(await lockOut(to)).toEqual(LOCKED);
    expect(await signIn(to, PASSWORD, thief)).toBe('rate_limited');
    expect(await signIn(to, PASSWORD, home)).toBe('second-factor');
  });

  it('lose what they knew with the old password, and a person has no more than five such networks', async () => {
    const { id, to, home } = await personAtHome();
    const others = Array.from({ length: 6 }, anywhere);
    for (const address of others) {
      stage.clock.ms += 1_000;
      expect(await signIn(to, PASSWORD, address)).toBe('session');
    }
    expect(await lockOut(to)).toEqual(LOCKED);
    const answers: string[] = [];
    for (const address of [home, ...others]) answers.push(await signIn(to, PASSWORD, address));
    expect(answers).toEqual(['rate_limited', 'rate_limited', ...Array.from({ length: 5 }, () => 'session')]);
    const [fifth = '', last = ''] = others.slice(4);
    const { id: sessionId } = await stage.people.sessions.begin(id, 'password', false, signInClient(last), undefined);
    const keep = { sessionId, address: last };
    await stage.people.signIn.setPassword(id, PASSWORD, 'another horse battery', keep, () => false);
    expect(await signIn(to, 'another horse battery', fifth)).toBe('rate_limited');
    expect(await signIn(to, 'another horse battery', last)).toBe('session');
  });
});

describe('a second factor', () => {
  it('cannot be guessed by whoever has the password, however many sign-ins are begun', async () => {
    const { people, clock } = stage;
    const { id, to } = await personAtHome();
    const { secret } = await people.secondFactor.begin(id, 'x');
    const codeNow = () => generateSync({ secret, epoch: Math.floor(clock.ms / 1_000) });
    const wrongNow = () => String((Number(codeNow()) + 1) % 1_000_000).padStart(6, '0');
    await people.secondFactor.confirm(id, codeNow());
    clock.ms += 61_000;
    const begin = async () => {
      const entry = await people.signIn.withPassword(to, PASSWORD, signInClient(anywhere()));
      return entry.kind === 'second-factor' ? entry.ticket : '';
    };
    const guess = (ticket: string, code: string) =>
      outcome(people.signIn.withSecondFactor(ticket, code, signInClient(anywhere())));
    const tickets = [await begin(), await begin(), await begin(), await begin()];
    // Five tries of the first ticket count, its sixth does not: it is over.
    expect(await inTurn(6, () => guess(tickets[0] ?? '', wrongNow()))).toEqual({ wrong_code: 6 });
    const rest = await Promise.all(tickets.slice(1).flatMap((ticket) => times(5, () => guess(ticket, wrongNow()))));
    expect(rest.filter((one) => one === 'wrong_code')).toHaveLength(5);
    expect(rest.filter((one) => one === 'rate_limited')).toHaveLength(10);
    expect(await guess(await begin(), codeNow())).toBe('rate_limited');
    clock.ms += HOUR;
    expect(await guess(await begin(), codeNow())).toBe('session');
  });
});
