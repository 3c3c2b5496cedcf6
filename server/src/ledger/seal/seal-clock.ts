/** Which days are closed, and which of them are sealed. */

import type { RandomBytes } from '../../core/ids.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { newChainKey } from './chain.ts';
import { dayAfter, firstChargeId, openDayAt, startOfDay } from './home-days.ts';
import {
  BEGIN_CLOCK,
  CARRY_SPENT,
  DATABASE_NOW,
  FIRST_DAY,
  MARK_SEALED,
  OPEN_FROM,
  SEAL_CLOCK,
  WRITERS_OF_TRANSFERS,
} from './seal-rows.ts';

export interface SealClock {
  openFrom: string;
  sealedTo: string;
  /** Encrypted. */
  chainKey: string;
}

export async function readSealClock(db: Queryable): Promise<SealClock | undefined> {
  const row = await SEAL_CLOCK.first(db);
  return row;
}

/** The first day that is closed and not sealed; undefined when there is none. */
export function dayToSeal(clock: SealClock | undefined): string | undefined {
  if (clock === undefined) return undefined;
  const next = dayAfter(clock.sealedTo);
  return next < clock.openFrom ? next : undefined;
}

export interface CloseDaysOptions {
  db: Database;
  nowMs: number;
  secrets: SecretBox;
  randomBytes: RandomBytes;
  pause(ms: number): Promise<void>;
}

/**
 * Closes every day that ended four hours ago: later entries are booked on a later day. The database's clock must agree,
 * since its triggers use that.
 */
export async function closeDays(options: CloseDaysOptions): Promise<SealClock> {
  const { db, nowMs } = options;
  const [known, closed] = await db.report(
    async (tx) => {
      const before = await readSealClock(tx);
      if (before === undefined) await begin(tx, options);
      const openFrom = openDayAt(Math.min(nowMs, await databaseNow(tx)));
      await OPEN_FROM.run(tx, [openFrom]);
      return [before, await readSealClock(tx)] as const;
    },
    { for: 'job' },
  );
  if (closed === undefined) throw new Error('the clock of the books is not there');
  if (closed.openFrom !== known?.openFrom) await waitForWriters(options);
  return closed;
}

/** Finds the first day of the books. This reads them whole, once. */
async function begin(tx: Queryable, { nowMs, secrets, randomBytes }: CloseDaysOptions): Promise<void> {
  const first = await FIRST_DAY.first(tx);
  const openDay = openDayAt(Math.min(nowMs, await databaseNow(tx)));
  const firstDay = first?.day != null && first.day < openDay ? first.day : openDay;
  await BEGIN_CLOCK.run(tx, [
    firstDay,
    dayAfter(firstDay, -1),
    ...startsOf(firstDay),
    newChainKey(secrets, randomBytes),
  ]);
  // Requests that were dropped before there were seals are in no day's rows any more; what they spent was carried over.
  await CARRY_SPENT.run(tx);
}

async function databaseNow(tx: Queryable): Promise<number> {
  const row = await DATABASE_NOW.first(tx);
  return row?.now.getTime() ?? 0;
}

/** The moment at which a day begins, and an id that is not above any charge of the day. */
function startsOf(day: string): [Date, string] {
  const ms = startOfDay(day);
  return [new Date(ms), firstChargeId(ms)];
}

/** Marks everything up to the day as sealed. */
export async function markSealed(tx: Queryable, day: string): Promise<void> {
  await MARK_SEALED.run(tx, [day, ...startsOf(dayAfter(day))]);
}

const POLL_MS = 50;
/** Longer than any statement of the service may take. */
const MAX_POLLS = 400;

/**
 * Waits until every transaction has ended that may have written by the former `open_from`. Writers of transfers hold
 * this lock until the commit, so nobody has to wait for us, and no right to see other sessions is needed.
 */
async function waitForWriters({ db, pause }: CloseDaysOptions): Promise<void> {
  if (db.kind === 'embedded') return;
  const writers = async () => (await WRITERS_OF_TRANSFERS.rows(db)).map(({ holder }) => holder);
  let left = new Set(await writers());
  for (let polls = 0; left.size > 0; polls++) {
    if (polls === MAX_POLLS) throw new Error('a transaction that writes transfers does not end');
    await pause(POLL_MS);
    const still = await writers();
    left = new Set(still.filter((holder) => left.has(holder)));
  }
}
