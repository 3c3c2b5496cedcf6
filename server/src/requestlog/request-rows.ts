/** Statements on requests of the log, and on what is known of one by its id. */
import type { CreditState } from '@dargah/core/guarantee-states.ts';
import { column, type Queryable, statement, statementFor } from '../platform/db/index.ts';
import { escapedText, TAGS_COLUMN, USER_COLUMN } from './detail-sql.ts';
import type { RequestRecord } from './record-columns.ts';
import { READ_COLUMNS, recordRow } from './record-sql.ts';
import { recordOf } from './record-text.ts';
import type { RequestFilter } from './request-filter.ts';

const FIND_REQUEST = statement(recordRow, `select ${READ_COLUMNS} from request_log where id = $1`, {
  name: 'find-request',
});

export async function findStored(db: Queryable, id: string): Promise<RequestRecord | undefined> {
  const row = await FIND_REQUEST.first(db, [id]);
  return row && recordOf(row);
}

/** $1 id, $2 the time that the id tells, in milliseconds since 1970. */
export const STATE_OF_REQUEST = statement(
  { state: column.text, charged: column.boolean },
  'select state, cost > 0 as charged from request_log where id = $1 and created_at = to_timestamp($2::float8 / 1000)',
);

export const COMPLETED_AMONG = statement(
  { id: column.text },
  `select id from request_log where id = any($1::text[]) and state = 'completed'`,
);

export const CREDIT_OF_REQUEST = statement(
  { state: column.textOf<CreditState>() },
  'select state from guarantee_credit where request_id = $1',
);

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
  // The condition is repeated as in the partial index on failed requests, so that PostgreSQL uses the index.
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

const NEWEST_REQUESTS = statementFor(
  recordRow,
  (where: string, limit: number) => `select ${READ_COLUMNS} from request_log ${where} order by id desc limit ${limit}`,
  ['', 1],
  [conditions({ accountId: '', errorCode: '' }, undefined).where, 1],
  [
    conditions(
      {
        accountId: '',
        keyId: '',
        model: '',
        endpoint: '',
        state: 'failed',
        from: 0,
        to: 0,
        errorCode: '',
        user: '',
        tag: '',
        costOver: 0n,
        slowerThanMs: 0,
      },
      '',
    ).where,
    1,
  ],
);

export async function newestRequests(
  db: Queryable,
  filter: RequestFilter,
  before: string | undefined,
  limit: number,
): Promise<RequestRecord[]> {
  const { where, values } = conditions(filter, before);
  return (await NEWEST_REQUESTS(where, limit).rows(db, values)).map(recordOf);
}
