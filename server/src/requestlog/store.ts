/** Finds requests: first among those running or waiting for the database in this process, then in the database. */

import type { CreditState } from '@dargah/core/guarantee-states.ts';
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import { invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import { firstIdAt } from '../core/ids.ts';
import { toTomanText, ZERO } from '../core/money.ts';
import { reasons } from '../core/reasons.ts';
import type { Database } from '../platform/db/database.ts';
import type { RequestState } from './record.ts';
import type { RequestRecord } from './record-columns.ts';
import { READ_COLUMNS } from './record-sql.ts';
import { decodeRecord, recordOf } from './record-text.ts';
import { escapedText, TAGS_COLUMN, USER_COLUMN } from './usage.ts';

export interface RequestFilter {
  accountId?: string;
  keyId?: string;
  model?: string;
  endpoint?: string;
  state?: RequestState;
  /** Milliseconds since 1970; `from` is included, `to` is not. */
  from?: number;
  to?: number;
  errorCode?: string;
  /** The end user, as the caller named it. */
  user?: string;
  /** One of its tags. */
  tag?: string;
  /** Micro-toman. */
  costOver?: bigint;
  slowerThanMs?: number;
}

export interface UsageDay {
  accountId: string;
  day: string;
  keyId: string;
  model: string;
  requests: number;
  refused: number;
  inputTokens: number;
  outputTokens: number;
  /** Micro-toman. */
  cost: bigint;
}

export interface RequestLog {
  /** With an account: undefined also when the request is another account's. */
  find(id: string, accountId?: string): Promise<RequestRecord | undefined>;
  /** What a broken answer is owed, for its receipt; nothing is read for any other. */
  guaranteeCredit(record: RequestRecord): Promise<{ guarantee_credit?: { state: CreditState; amount: string } }>;
  /** Newest first; `before` is the `next` of the page before. */
  list(
    filter: RequestFilter,
    page: { before?: string; limit: number },
  ): Promise<{ requests: RequestRecord[]; next: string | null }>;
  /** Roll-up by day, key and model, of one account or of all; days as `2026-11-15`, both included. */
  usage(accountId: string | undefined, days: { from: string; to: string }): Promise<UsageDay[]>;
  /** The last minute and the last hour of all accounts. */
  traffic(nowMs: number): Promise<Traffic>;
}

export interface Traffic {
  requestsOfMinute: number;
  requests: number;
  /** Without an answer, or with half of one: not the caller's fault. */
  failed: number;
  refused: number;
  p50Ms: number | null;
  p95Ms: number | null;
}

export interface RequestLogOptions {
  db: Database;
  /** The text of a request that the database may not have yet (the journal). */
  recent?: { lookup(id: string): string | undefined };
}

const MAX_PAGE = 500;
const MAX_USAGE_ROWS = 20_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

type RequestRow = Record<string, string | null>;

export function createRequestLog({ db, recent }: RequestLogOptions): RequestLog {
  return {
    async find(id, accountId) {
      const text = recent?.lookup(id);
      const found = text === undefined ? await findStored(db, id) : decodeRecord(text);
      return accountId === undefined || found?.accountId === accountId ? found : undefined;
    },
    async guaranteeCredit({ id, guarantee, cost }) {
      if (guarantee !== 'broken' || cost === ZERO) return {};
      const [row] = await db.query<{ state: CreditState }>('select state from guarantee_credit where request_id = $1', [
        id,
      ]);
      // Until it is posted nothing is written down.
      return { guarantee_credit: { state: row?.state ?? 'waiting', amount: toTomanText(cost) } };
    },
    async list(filter, { before, limit }) {
      const size = Math.max(1, Math.min(limit, MAX_PAGE));
      const { where, values } = conditions(filter, before);
      const rows = await db.query<RequestRow>(
        `select ${READ_COLUMNS} from request_log ${where} order by id desc limit ${size + 1}`,
        values,
      );
      const requests = rows.slice(0, size).map(recordOf);
      return { requests, next: rows.length > size ? (requests.at(-1)?.id ?? null) : null };
    },
    async traffic(nowMs) {
      const hourAgo = nowMs - HOUR_MS;
      const [row] = await db.query<Traffic>(
        `select (count(*) filter (where created_at >= $3))::float8 as "requestsOfMinute", count(*)::float8 as requests,
                (count(*) filter (where state in ('failed', 'interrupted')))::float8 as failed,
                (count(*) filter (where state = 'refused'))::float8 as refused,
                percentile_disc(0.5) within group (order by duration_ms)::float8 as "p50Ms",
                percentile_disc(0.95) within group (order by duration_ms)::float8 as "p95Ms"
           from request_log where id >= $1 and created_at >= $2 and state <> 'running'`,
        [firstIdAt('req', hourAgo), new Date(hourAgo), new Date(nowMs - 60_000)],
      );
      return row ?? { requestsOfMinute: 0, requests: 0, failed: 0, refused: 0, p50Ms: null, p95Ms: null };
    },
    async usage(accountId, { from, to }) {
      for (const [field, day] of Object.entries({ from, to }))
        if (!DAY.test(day)) throw invalidRequest(field, reasons.mustBe(field, expected.day));
      return db
        .query<UsageDay>(
          `select account_id as "accountId", day::text as day, key_id as "keyId", model, requests::float8 as requests, refused::float8 as refused,
           input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cost::text as cost
         from usage_daily where ($1::text is null or account_id = $1) and day between $2::date and $3::date
         order by day, account_id, key_id, model limit ${MAX_USAGE_ROWS}`,
          [accountId ?? null, from, to],
        )
        .then((rows) => rows.map((row) => ({ ...row, cost: BigInt(row.cost) })));
    },
  };
}

async function findStored(db: Database, id: string): Promise<RequestRecord | undefined> {
  const [row] = await db.query<RequestRow>(`select ${READ_COLUMNS} from request_log where id = $1`, [id], {
    name: 'find-request',
  });
  return row && recordOf(row);
}

function conditions(filter: RequestFilter, before: string | undefined): { where: string; values: unknown[] } {
  const parts: string[] = [];
  const values: unknown[] = [];
  const add = (condition: string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    // The last question mark is the placeholder: the pattern for end users contains others.
    const place = condition.lastIndexOf('?');
    const name = `$${values.length}`;
    parts.push(`${condition.slice(0, place)}${name}${condition.slice(place + 1)}`);
  };
  add('account_id = ?', filter.accountId);
  add('key_id = ?', filter.keyId);
  add('model = ?', filter.model);
  add('endpoint = ?', filter.endpoint);
  // Repeated in the words of the partial index on failed requests, so that PostgreSQL uses it.
  if (filter.state !== undefined && filter.state !== 'completed') parts.push(`state <> 'completed'`);
  add('state = ?', filter.state);
  add('created_at >= to_timestamp(?::float8 / 1000)', filter.from);
  add('created_at < to_timestamp(?::float8 / 1000)', filter.to);
  if (filter.errorCode !== undefined && filter.state === undefined) parts.push(`state <> 'completed'`);
  add('error_code = ?', filter.errorCode);
  add(`${USER_COLUMN} = ?`, filter.user === undefined ? undefined : escapedText(filter.user));
  add(`jsonb_exists(${TAGS_COLUMN}, ?)`, filter.tag);
  add('cost > ?::numeric', filter.costOver?.toString());
  add('duration_ms > ?', filter.slowerThanMs);
  add('id < ?', before);
  return { where: parts.length > 0 ? `where ${parts.join(' and ')}` : '', values };
}
