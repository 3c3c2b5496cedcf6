/**
 * The runs. The nightly one seals every day that is over, runs all checks on the open rows, and reads some sealed days
 * again. The whole one reads every day again, so that nothing rests on a seal. The light one runs every few minutes.
 */

import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../../core/clock.ts';
import type { RandomBytes } from '../../core/ids.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { Pace } from '../seal/pace.ts';
import { readAgain } from '../seal/read-again.ts';
import { closeDays, dayToSeal, readSealClock, type SealClock } from '../seal/seal-clock.ts';
import { type SealDayOptions, sealDay } from '../seal/seal-day.ts';
import { forgetWalk, mergeFaults } from '../seal/walk.ts';
import type { Faults } from '../seal/walk-sql.ts';
import { CHECKS } from './checks-sql.ts';
import { endRun, keepRun } from './lease.ts';
import type { CheckResult } from './proof.ts';
import { ALL_SEALED_DAYS, DAYS_OF_A_NIGHT, EXPECT_ROWS } from './proof-rows.ts';
import { OPEN_ROWS } from './rows-to-read-sql.ts';
import { spendAgain } from './spend-again.ts';
import { failingOf, noteEnd } from './state.ts';
import { askChecks, NOTHING_FOUND, NOTHING_TO_CHECK, toldFaults } from './statement-checks.ts';

export interface RunnerOptions {
  db: Database;
  clock: Clock;
  secrets: SecretBox;
  randomBytes: RandomBytes;
  pause(ms: number): Promise<void>;
  /** True while charges wait for the database. */
  busy(): boolean;
  /** The rows of one slice. */
  mostRows?: number;
}

export interface OwnRun {
  id: string;
  holder: string;
  kind: 'night' | 'whole';
  isStopped(): boolean;
}

export class ProofStopped extends Error {
  constructor() {
    super('the process was stopped');
  }
}

const READ_AGAIN_MS = 5 * MINUTE_MS;

/** The texts of what a walk finds; checks that the list has too are joined with them. */
const WALKED: Record<string, string> = {
  'sealed-days': 'every sealed day is as it was when it was sealed',
  chain: 'the chain of seals is whole',
  'money-days': 'what was sold on a day is what was charged on it',
  'cost-days': 'what providers cost on a day, also for what failed, is what was booked',
};

export async function proveBooks(options: RunnerOptions, run: OwnRun): Promise<void> {
  const { db, clock, secrets } = options;
  const sealClock = await closeDays({ ...options, nowMs: clock.now() });
  const tools = toolsOf(options, run, secrets.open(sealClock.chainKey));
  await db.transaction((tx) => forgetWalk(tx, 'read'));
  const ofSealing = await sealAll(tools, sealClock);
  const provedTo = (await readSealClock(db))?.sealedTo ?? sealClock.sealedTo;
  const proveAs = async (kind: OwnRun['kind']): Promise<void> => {
    const checks = await check(tools, { ...run, kind }, ofSealing, clock);
    const isEnded = await db.transaction(async (tx) => {
      const at = clock.now();
      if (!(await endRun(tx, { ...run, kind }, at, checks))) return false;
      await noteEnd(tx, { runId: run.id, at: new Date(at), provedTo, failing: failingOf(checks, run.id) });
      return true;
    });
    if (!isEnded) await proveAs('whole');
  };
  await proveAs(run.kind);
}

async function check(tools: SealDayOptions, run: OwnRun, ofSealing: Faults, clock: Clock): Promise<CheckResult[]> {
  const days = await daysToRead(tools.db, run.kind);
  await expectRows(tools.db, run, days);
  const ofDays = await readDays(tools, run, days, clock);
  const results = await askAll(tools);
  const ofCounters = run.kind === 'whole' ? await spendAgain(tools) : {};
  return joined(results, mergeFaults(mergeFaults(ofSealing, ofDays), ofCounters));
}

function toolsOf(options: RunnerOptions, run: OwnRun, chainKey: string): SealDayOptions {
  const { db, clock } = options;
  return {
    db,
    chainKey,
    nowMs: () => clock.now(),
    pace: new Pace({ ...options, kind: db.kind }),
    async keepLease(tx: Queryable, rows: number) {
      if (run.isStopped()) throw new ProofStopped();
      await keepRun(tx, run, clock.now(), rows);
    },
  };
}

async function sealAll(tools: SealDayOptions, from: SealClock): Promise<Faults> {
  let faults: Faults = {};
  for (let at: SealClock | undefined = from; ; at = await readSealClock(tools.db)) {
    const day = dayToSeal(at);
    if (day === undefined) return faults;
    faults = mergeFaults(faults, await sealDay(tools, day));
  }
}

/**
 * Days that differed from their seal come first, then those that nobody has read for longest; a whole proof reads all,
 * in order.
 */
async function daysToRead(db: Database, kind: OwnRun['kind']): Promise<string[]> {
  const rows = await (kind === 'whole' ? ALL_SEALED_DAYS : DAYS_OF_A_NIGHT).rows(db);
  return rows.map(({ day }) => day);
}

async function expectRows(db: Database, run: OwnRun, days: readonly string[]): Promise<void> {
  await EXPECT_ROWS.run(db, [run.id, days]);
}

async function readDays(tools: SealDayOptions, run: OwnRun, days: readonly string[], clock: Clock): Promise<Faults> {
  const until = clock.monotonicMs() + READ_AGAIN_MS;
  // A walk that looked at no day says so, and these checks then have nothing to check.
  let faults: Faults = {};
  for (const day of days) {
    if (run.kind === 'night' && clock.monotonicMs() > until) break;
    faults = mergeFaults(faults, await readAgain(tools, day));
  }
  return faults;
}

/** Each check is one statement and needs no common snapshot; between them the lease is renewed. */
async function askAll(tools: SealDayOptions): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of CHECKS) {
    results.push(...(await tools.db.report((tx) => askChecks(tx, [check], OPEN_ROWS), { for: 'job' })));
    await tools.db.transaction((tx) => tools.keepLease(tx, 0));
  }
  return results;
}

/** Joins the results of the walks and of the checks of open rows into one list. */
function joined(results: readonly CheckResult[], faults: Faults): CheckResult[] {
  const known = results.map((result) => {
    const walked = faults[result.id];
    if (walked === undefined) return result;
    if (walked.total === 0) return result.result === 'nothing' ? { ...result, ...PASSED } : result;
    const faultTexts = toldFaults(walked.total, walked.such);
    const detail = result.result === 'failed' ? `${faultTexts}; ${result.detail}` : faultTexts;
    return { ...result, result: 'failed' as const, detail };
  });
  const own = Object.entries(WALKED).map(([id, name]): CheckResult => {
    const walked = faults[id];
    if (walked === undefined) return { id, name, result: 'nothing', detail: NOTHING_TO_CHECK };
    if (walked.total === 0) return { id, name, ...PASSED };
    return { id, name, result: 'failed', detail: toldFaults(walked.total, walked.such) };
  });
  return [...known, ...own];
}

const PASSED = { result: 'ok', detail: NOTHING_FOUND } as const;
