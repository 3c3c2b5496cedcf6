/** The store of people on a database, with a clock of the test's own and messages that only the test reads. */
import { randomBytes } from 'node:crypto';
import { createAccountService } from '../../src/accounts/index.ts';
import { ZERO } from '../../src/core/money.ts';
import { DEFAULT_CALENDAR } from '../../src/keys/index.ts';
import type { OutgoingMessage } from '../../src/messages/index.ts';
import {
  createPeople,
  type LivePeopleSettings,
  type People,
  type PeopleOptions,
  parseContact,
} from '../../src/people/index.ts';
import type { Background } from '../../src/platform/background.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import { LITTLE_WORK } from './quick-passwords.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const AT_ONCE = 50;
export const HERE = '198.51.100.7';
export const SIGN_IN_CLIENT = { address: HERE, agent: 'suite', former: undefined };

/** Jobs that a test does not wait for do not run. */
const IDLE: Background = {
  every: () => () => undefined,
  after: () => () => undefined,
  detach: () => undefined,
  drain: async () => [],
};

export interface PeopleStage {
  db: Database;
  people: People;
  clock: { ms: number; now(): number; monotonicMs(): number };
  settings: LivePeopleSettings;
  sent: OutgoingMessage[];
  /** A number that nobody had before. */
  number(): string;
  /** The code that a message would carry now. */
  code(...order: Parameters<People['codes']['order']>): Promise<string>;
  /** Signs up, or in, with a code. */
  enter(to: string, words?: { invitation?: string; name?: string }): ReturnType<People['signIn']['withCode']>;
  /** A person of their own, with an account of theirs. */
  person(): Promise<{ id: string; to: string; accountId: string }>;
}

export async function openPeopleStage(
  db: Database,
  more: Partial<Pick<PeopleOptions, 'passwords' | 'limits' | 'passwordLimits'>> = {},
): Promise<PeopleStage> {
  const clock = { ms: 1_800_000_000_000, now: () => clock.ms, monotonicMs: () => clock.ms };
  const settings: LivePeopleSettings = {
    registration: 'open',
    welcomeCredit: ZERO,
    welcomePerNetworkDaily: 5,
    isProduction: false,
    staffSecondFactor: false,
    operatorTokens: true,
    suppliersShown: false,
    listPricesShown: false,
    messagesPerDay: 20_000,
  };
  const sent: OutgoingMessage[] = [];
  const tools = { db, clock, randomBytes };
  const people = createPeople({
    ...tools,
    passwordWork: LITTLE_WORK,
    secrets: createSecretBox(randomBytes(32)),
    accounts: createAccountService({ ...tools, defaultCalendar: DEFAULT_CALENDAR }),
    ledger: { transfer: () => Promise.reject(new Error('no credit is given here')) },
    messenger: {
      sandbox: true,
      carriers: [],
      can: () => true,
      send: (message) => void sent.push(message),
      deliver: async (message) => void sent.push(message),
      trial: async () => [],
    },
    brand: () => ({ fa: 'آزمون', en: 'Suite' }),
    background: IDLE,
    settings,
    limits: { perCaller: 10_000, perNetwork: 10_000 },
    passwordLimits: { perAddressHourly: 12, perNetworkHourly: 14 },
    ...more,
  });
  let numbers = 0;
  const stage: PeopleStage = {
    db,
    people,
    clock,
    settings,
    sent,
    number: () => `0912${String(3_000_000 + numbers++)}`,
    async code(...order) {
      const { code } = await people.codes.order(...order);
      if (code === undefined) throw new Error('no message is sent now');
      return code;
    },
    async enter(to, words = {}) {
      const code = await stage.code(parseContact(to), 'sign-in', HERE);
      return people.signIn.withCode(to, code, words, SIGN_IN_CLIENT);
    },
    async person() {
      const to = stage.number();
      const entry = await stage.enter(to);
      if (entry.kind !== 'session') throw new Error('no session');
      const [membership] = await people.members.ofPerson(entry.personId);
      return { id: entry.personId, to, accountId: membership?.accountId ?? '' };
    },
  };
  return stage;
}

/** How many of them succeeded, and with which codes the others were refused. */
export async function outcomes(
  work: readonly Promise<unknown>[],
): Promise<{ done: number; refused: Record<string, number> }> {
  const refused: Record<string, number> = {};
  let done = 0;
  for (const result of await Promise.allSettled(work)) {
    if (result.status === 'fulfilled') done++;
    else {
      const code = String((result.reason as { code?: string }).code ?? result.reason);
      refused[code] = (refused[code] ?? 0) + 1;
    }
  }
  return { done, refused };
}

export const times = <T>(count: number, work: (index: number) => Promise<T>) =>
  Array.from({ length: count }, (_, i) => work(i));
