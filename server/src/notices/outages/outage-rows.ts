/** Outages as rows: one open row per kind and subject over all replicas. */
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { JsonObject } from '../../core/json.ts';
import {
  column,
  columnsOf,
  command,
  orNull,
  type Queryable,
  type RowOf,
  readAs,
  statement,
} from '../../platform/db/index.ts';
import type { Severity } from '../event-kind.ts';
import type { OutageKind } from './outage-kinds.ts';

const outageRow = {
  id: column.text,
  kind: column.textOf<OutageKind>(),
  subject: column.text,
  severity: column.textOf<Severity>(),
  openedAt: column.timestamp,
  seenAt: column.timestamp,
  acknowledgedAt: orNull(column.timestamp),
  acknowledgedBy: orNull(column.text),
  closedAt: orNull(column.timestamp),
  ending: orNull(column.textOf<'recovered' | 'quiet'>()),
  failed: readAs('failed::integer', column.int),
  answered: readAs('answered::integer', column.int),
  accounts: column.int,
  peakShare: column.float,
  cause: orNull(column.text),
  provider: orNull(column.text),
  data: column.jsonOf<JsonObject>(),
  reopened: column.int,
  told: orNull(column.text),
  toldAt: orNull(column.timestamp),
  countedAt: orNull(column.timestamp),
};
export type Outage = RowOf<typeof outageRow>;

const COLUMNS = columnsOf(outageRow);
const RANK = `array_position(array['warning', 'major', 'critical'], severity)`;

/** $1 to $8: kind, subject, severity, now, share, cause, provider, data. */
const CHANGE = `seen_at = $4, peak_share = greatest(peak_share, $5), cause = coalesce($6, cause), provider = coalesce($7, provider),
    data = data || $8, severity = case when array_position(array['warning', 'major', 'critical'], $3) > ${RANK} then $3 else severity end`;

export const SEE_OUTAGE = statement(
  { id: column.text },
  `update outage set ${CHANGE} where kind = $1 and subject = $2 and closed_at is null returning id`,
);

export const REOPEN_OUTAGE = statement(
  { id: column.text },
  `update outage set ${CHANGE}, closed_at = null, ending = null, reopened = reopened + 1 where id = (
     select id from outage where kind = $1 and subject = $2 and closed_at > $9 order by closed_at desc limit 1)
   and not exists (select from outage as open where open.kind = $1 and open.subject = $2 and open.closed_at is null)
   returning id`,
);

export const INSERT_OUTAGE = command(
  `insert into outage (id, kind, subject, severity, opened_at, seen_at, peak_share, cause, provider, data)
   values ($9, $1, $2, $3, $10, $4, $5, $6, $7, $8) on conflict (kind, subject) where closed_at is null do nothing`,
);

const CLOSE_OUTAGE = command('update outage set closed_at = $2, ending = $3 where id = $1 and closed_at is null');

export async function closeOutage(tx: Queryable, id: string, ending: 'recovered' | 'quiet', nowMs: number) {
  await CLOSE_OUTAGE.run(tx, [id, new Date(nowMs), ending]);
}

const OPEN_OUTAGES = statement(
  outageRow,
  `select ${COLUMNS} from outage where closed_at is null order by opened_at, id`,
);

export function openOutages(tx: Queryable): Promise<Outage[]> {
  return OPEN_OUTAGES.rows(tx);
}

const LATELY_OUTAGES = statement(
  outageRow,
  `select ${COLUMNS} from outage where closed_at is null
   union all (select ${COLUMNS} from outage where closed_at > $1 and told is distinct from 'closed') order by "openedAt", id`,
);

/** Open outages, and those that ended recently, whose end may still have to be told. */
export function latelyOutages(tx: Queryable, nowMs: number): Promise<Outage[]> {
  return LATELY_OUTAGES.rows(tx, [new Date(nowMs - 2 * HOUR_MS)]);
}

const OUTAGE = statement(outageRow, `select ${COLUMNS} from outage where id = $1`);

export function outageById(tx: Queryable, id: string): Promise<Outage | undefined> {
  return OUTAGE.first(tx, [id]);
}

const OUTAGES_BEFORE = statement(
  outageRow,
  `select ${COLUMNS} from outage where $1::timestamptz is null or (opened_at, id) < ($1, $2)
   order by opened_at desc, id desc limit $3`,
);

export function outagesBefore(
  tx: Queryable,
  { time, id, fetch }: { time: Date | null; id: string | null; fetch: number },
): Promise<Outage[]> {
  return OUTAGES_BEFORE.rows(tx, [time, id, fetch]);
}

const COUNT_OUTAGE = command(
  `update outage set failed = greatest(outage.failed, met.failed), answered = greatest(outage.answered, met.answered),
     accounts = greatest(outage.accounts, met.accounts), counted_at = $4
   from (select coalesce(sum(failed), 0) as failed, coalesce(sum(answered), 0) as answered,
       (select count(*)::integer from health_account where model_id = $2 and failed_at >= $3) as accounts
     from health_minute where model_id = $2 and route = '' and minute >= $3) as met
   where outage.id = $1`,
);

/** Runs once a minute: sums what customers met since the outage began, as far back as minutes are kept. */
export async function countModelOutage(tx: Queryable, { id, subject, openedAt }: Outage, nowMs: number): Promise<void> {
  await COUNT_OUTAGE.run(tx, [id, subject, openedAt, new Date(nowMs)]);
}

const COMMONEST_CAUSES = statement(
  { model: column.text, provider: column.text, cause: column.text },
  `select distinct on (model_id) model_id as model, provider, cause from (
     select model_id, provider, cause, sum(times) as times from health_cause
     where model_id = any($1::text[]) and minute >= $2 group by model_id, provider, cause) as counted
   order by model_id, times desc, provider, cause`,
);

/** For each model the provider that failed most often, and how. */
export function commonestCauses(
  tx: Queryable,
  models: readonly string[],
  from: Date,
): Promise<{ model: string; provider: string; cause: string }[]> {
  return COMMONEST_CAUSES.rows(tx, [models, from]);
}

const messageRow = {
  personId: column.text,
  name: column.text,
  channel: column.textOf<'email' | 'sms' | 'webhook'>(),
  phase: column.textOf<'opened' | 'closed'>(),
  state: column.textOf<'waiting' | 'sent' | 'failed'>(),
  problem: orNull(column.text),
  at: column.timestamp,
};

export type OutageMessage = RowOf<typeof messageRow>;

const MAX_TOLD = 200;

export const MESSAGES_OF_OUTAGE = statement(
  messageRow,
  `select sent.person_id as "personId", person.name, sent.channel,
     case when notice.data ->> 'phase' = 'opened' then 'opened' else 'closed' end as phase, sent.state,
     sent.last_problem as problem, coalesce(sent.sent_at, sent.created_at) as at
   from notice join staff_delivery sent on sent.notice_id = notice.id join person on person.id = sent.person_id
   where notice.account_id = '' and notice.event = $2 and notice.occasion like $1 || ':%' and notice.created_at >= $3
   order by at desc, sent.id limit ${MAX_TOLD}`,
);

export const ACKNOWLEDGE_OUTAGE = command(
  `update outage set acknowledged_at = $2, acknowledged_by = $3 where id = $1 and acknowledged_at is null`,
);

export const ADD_TO_OUTAGE = command('update outage set data = data || $2 where id = $1');

export const MARK_OUTAGE_TOLD = command('update outage set told = $2, told_at = $3, data = data || $4 where id = $1');

export const INSERT_DATABASE_OUTAGE = command(
  `insert into outage (id, kind, subject, severity, opened_at, seen_at, closed_at, ending, told, told_at)
   select $1, 'database.away', 'database', 'critical', $2, $3, $3, 'recovered', $4, $3
   where not exists (select from outage where kind = 'database.away' and closed_at > $2)`,
);
