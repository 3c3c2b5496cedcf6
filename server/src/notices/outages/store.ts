/** Outages as rows: one open row per kind and subject over all replicas. */
import { HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import { makeId, type RandomBytes } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Queryable } from '../../platform/db/index.ts';
import type { Severity } from '../event-kind.ts';
import type { OutageKind } from './outage-kinds.ts';

export interface Outage {
  id: string;
  kind: OutageKind;
  subject: string;
  severity: Severity;
  openedAt: Date;
  seenAt: Date;
  acknowledgedAt: Date | null;
  acknowledgedBy: string | null;
  closedAt: Date | null;
  ending: 'recovered' | 'quiet' | null;
  failed: number;
  answered: number;
  accounts: number;
  peakShare: number;
  cause: string | null;
  provider: string | null;
  data: JsonObject;
  reopened: number;
  told: string | null;
  toldAt: Date | null;
  countedAt: Date | null;
}

/** What a replica sees now. */
export interface SeenOutage {
  kind: OutageKind;
  subject: string;
  severity: Severity;
  since: Date;
  share?: number;
  cause?: string | null;
  provider?: string | null;
  data?: JsonObject;
}

/** Back within this time it is the same outage. */
const SAME_MS = 30 * MINUTE_MS;
const COLUMNS = `id, kind, subject, severity, opened_at as "openedAt", seen_at as "seenAt", acknowledged_at as "acknowledgedAt",
  acknowledged_by as "acknowledgedBy", closed_at as "closedAt", ending, failed::integer as failed, answered::integer as answered,
  accounts, peak_share as "peakShare", cause, provider, data, reopened, told, told_at as "toldAt", counted_at as "countedAt"`;
const RANK = `array_position(array['warning', 'major', 'critical'], severity)`;

/** Notes what is seen: it is known, it is back, or it is new. Replicas that see it at once make one row. */
export async function noteOutage(
  tx: Queryable,
  { kind, subject, severity, since, share = 0, cause, provider, data }: SeenOutage,
  tools: { nowMs: number; randomBytes: RandomBytes },
): Promise<void> {
  const now = new Date(tools.nowMs);
  const values = [kind, subject, severity, now, share, cause ?? null, provider ?? null, data ?? {}];
  const change = `seen_at = $4, peak_share = greatest(peak_share, $5), cause = coalesce($6, cause), provider = coalesce($7, provider),
    data = data || $8, severity = case when array_position(array['warning', 'major', 'critical'], $3) > ${RANK} then $3 else severity end`;
  const known = await tx.query(
    `update outage set ${change} where kind = $1 and subject = $2 and closed_at is null returning id`,
    values,
  );
  if (known.length > 0) return;
  const back = await tx.query(
    `update outage set ${change}, closed_at = null, ending = null, reopened = reopened + 1 where id = (
       select id from outage where kind = $1 and subject = $2 and closed_at > $9 order by closed_at desc limit 1)
     and not exists (select from outage as open where open.kind = $1 and open.subject = $2 and open.closed_at is null)
     returning id`,
    [...values, new Date(tools.nowMs - SAME_MS)],
  );
  if (back.length > 0) return;
  await tx.query(
    `insert into outage (id, kind, subject, severity, opened_at, seen_at, peak_share, cause, provider, data)
     values ($9, $1, $2, $3, $10, $4, $5, $6, $7, $8) on conflict (kind, subject) where closed_at is null do nothing`,
    [...values, makeId('out', tools.nowMs, tools.randomBytes), since],
  );
}

export async function closeOutage(tx: Queryable, id: string, ending: 'recovered' | 'quiet', nowMs: number) {
  await tx.query('update outage set closed_at = $2, ending = $3 where id = $1 and closed_at is null', [
    id,
    new Date(nowMs),
    ending,
  ]);
}

export function openOutages(tx: Queryable): Promise<Outage[]> {
  return tx.query<Outage>(`select ${COLUMNS} from outage where closed_at is null order by opened_at, id`);
}

/** Open ones, and those that ended lately: what may still have to be told. */
export function latelyOutages(tx: Queryable, nowMs: number): Promise<Outage[]> {
  return tx.query<Outage>(
    `select ${COLUMNS} from outage where closed_at is null
     union all (select ${COLUMNS} from outage where closed_at > $1 and told is distinct from 'closed') order by "openedAt", id`,
    [new Date(nowMs - 2 * HOUR_MS)],
  );
}

export function outageById(tx: Queryable, id: string): Promise<Outage | undefined> {
  return tx.query<Outage>(`select ${COLUMNS} from outage where id = $1`, [id]).then(([row]) => row);
}

export function outagesBefore(
  tx: Queryable,
  { time, id, fetch }: { time: Date | null; id: string | null; fetch: number },
): Promise<Outage[]> {
  return tx.query<Outage>(
    `select ${COLUMNS} from outage where $1::timestamptz is null or (opened_at, id) < ($1, $2)
     order by opened_at desc, id desc limit $3`,
    [time, id, fetch],
  );
}

/** Once a minute: what customers met since it began, as far back as minutes are kept. */
export async function countModelOutage(tx: Queryable, { id, subject, openedAt }: Outage, nowMs: number): Promise<void> {
  await tx.query(
    `update outage set failed = greatest(outage.failed, met.failed), answered = greatest(outage.answered, met.answered),
       accounts = greatest(outage.accounts, met.accounts), counted_at = $4
     from (select coalesce(sum(failed), 0) as failed, coalesce(sum(answered), 0) as answered,
         (select count(*)::integer from health_account where model_id = $2 and failed_at >= $3) as accounts
       from health_minute where model_id = $2 and route = '' and minute >= $3) as met
     where outage.id = $1`,
    [id, subject, openedAt, new Date(nowMs)],
  );
}

/** The provider that failed most often, and how, per model. */
export function commonestCauses(
  tx: Queryable,
  models: readonly string[],
  from: Date,
): Promise<{ model: string; provider: string; cause: string }[]> {
  return tx.query(
    `select distinct on (model_id) model_id as model, provider, cause from (
       select model_id, provider, cause, sum(times) as times from health_cause
       where model_id = any($1::text[]) and minute >= $2 group by model_id, provider, cause) as counted
     order by model_id, times desc, provider, cause`,
    [models, from],
  );
}
