/**
 * The request log has one partition per UTC day, made ahead of time; forgetting a day is dropping its table, which costs the
 * same for ten rows and ten million. Rows without a partition are in the default one and move out of it when theirs is made.
 */
import { DAY_MS } from '@dargah/core/time-spans.ts';
import { GIVEN_BACK } from '@dargah/core/transfer-kinds.ts';
import { type Database, isLockTimeout, type Queryable } from '../platform/db/index.ts';

const NAME = /^request_log_(\d{4})(\d{2})(\d{2})$/;
/** Any constant; it only has to be the same in every replica. */
const LOCK_KEY = '742919338';
const TIMEOUT_MS = 1_000;

/** Makes the partitions of today and the days ahead that are missing; returns their names. */
export async function preparePartitions(db: Database, nowMs: number, daysAhead = 3): Promise<string[]> {
  const made: string[] = [];
  const today = Math.floor(nowMs / DAY_MS);
  for (let day = today; day <= today + daysAhead; day++) {
    if (await unlessBusy(db, (tx) => makePartition(tx, day))) made.push(partitionName(day));
  }
  return made;
}

/**
 * What is done to the tables here needs a moment in which nobody reads or writes the log. It is not worth waiting for behind a
 * long report, since everyone else would wait behind us: it gives up, and the next hour is early enough.
 */
async function unlessBusy(db: Database, work: (tx: Queryable) => Promise<boolean>): Promise<boolean> {
  try {
    return await db.transaction(async (tx) => {
      await tx.query(`set local lock_timeout = '${TIMEOUT_MS}ms'`);
      return work(tx);
    });
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}

async function makePartition(tx: Queryable, day: number): Promise<boolean> {
  const name = partitionName(day);
  // Replicas start together; the second one waits and then finds it done, or leaves it to the first.
  await tx.query(`select pg_advisory_xact_lock(${LOCK_KEY})`);
  if (await exists(tx, name)) return false;
  const from = isoDay(day);
  const to = isoDay(day + 1);
  const inDay = `created_at >= '${from}' and created_at < '${to}'`;
  await tx.query(`create table ${name} (like request_log including defaults including constraints including indexes)`);
  await tx.query(
    `with moved as (delete from request_log_default where ${inDay} returning *) insert into ${name} select * from moved`,
  );
  await tx.query(`alter table request_log attach partition ${name} for values from ('${from}') to ('${to}')`);
  return true;
}

/**
 * Forgets requests older than `keepDays` days, once every day that they touch is sealed: what was sold is then kept in sums. Charges
 * stay in the ledger for ever; what the dropped rows say about spend counters is carried over first, so that the proof still adds up.
 */
export async function dropOldPartitions(db: Database, nowMs: number, keepDays: number): Promise<string[]> {
  const keptFrom = isoDay(Math.floor(nowMs / DAY_MS) - keepDays);
  const partitions = await db.query<{ name: string }>(
    `select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid
     where inhparent = 'request_log'::regclass order by child.relname`,
  );
  const dropped: string[] = [];
  for (const { name } of partitions) {
    const parts = NAME.exec(name);
    if (!parts || `${parts[1]}-${parts[2]}-${parts[3]} 00:00:00+00` >= keptFrom) continue;
    if (await unlessBusy(db, (tx) => dropPartition(tx, name, keptFrom))) dropped.push(name);
  }
  return dropped;
}

async function dropPartition(tx: Queryable, name: string, keptFrom: string): Promise<boolean> {
  // Another replica may be at it, or may have done it since the list was read.
  await tx.query(`select pg_advisory_xact_lock(${LOCK_KEY})`);
  if (!(await exists(tx, name)) || !(await isSealed(tx, name))) return false;
  // Readers may go on while its charges are added up; only the drop itself shuts them out.
  await tx.query(`lock table ${name} in share row exclusive mode`);
  await tx.query(`
    insert into spend_carried as carried (id, spent)
    select budget, sum(amount) from (
      select budget, cost as amount from ${name} log cross join spend_counters(log.counters, log.key_id, log.account_id) as budget where cost > 0
      union all
      select budget, -refund.amount from ${name} log
        join ledger_transfer refund on refund.request_id = log.id and refund.kind in ${GIVEN_BACK}
        cross join spend_counters(log.counters, log.key_id, log.account_id) as budget
    ) as part group by budget order by budget
    on conflict (id) do update set spent = carried.spent + excluded.spent`);
  await tx.query(
    `insert into request_log_horizon as horizon (kept_from) values ($1)
     on conflict (only_row) do update set kept_from = greatest(horizon.kept_from, excluded.kept_from)`,
    [keptFrom],
  );
  await tx.query(`drop table ${name}`);
  return true;
}

/**
 * Every row of it is in a sealed day, refunds of them too, and no proof is adding them up just now. A refund that no seal holds yet
 * is taken from the counters of its request when its day is sealed, and must find it.
 */
async function isSealed(tx: Queryable, name: string): Promise<boolean> {
  const [year, month, day] = NAME.exec(name)?.slice(1) ?? [];
  const [row] = await tx.query<{ sealed: boolean }>(
    `select exists (select from ledger_clock where unsealed_at >= $1::timestamptz + interval '1 day')
       and not exists (select from proof_run where state = 'running' and kind = 'whole')
       and not exists (
         select from ledger_transfer refund join ${name} log on log.id = refund.request_id
         where refund.kind in ${GIVEN_BACK} and refund.created_at >= (select unsealed_at from ledger_clock)) as sealed`,
    [`${year}-${month}-${day} 00:00:00+00`],
  );
  return row?.sealed === true;
}

async function exists(tx: Queryable, name: string): Promise<boolean> {
  const [known] = await tx.query<{ exists: boolean }>('select to_regclass($1) is not null as exists', [name]);
  return known?.exists === true;
}

function partitionName(day: number): string {
  return `request_log_${isoDay(day).slice(0, 10).replaceAll('-', '')}`;
}

/** Midnight UTC, written out so that the session's time zone cannot shift it. */
function isoDay(day: number): string {
  return `${new Date(day * DAY_MS).toISOString().slice(0, 10)} 00:00:00+00`;
}
