/**
 * `request.settled`: each request of a key whose rule asks for it is told to the account's webhooks once it is posted. It is put
 * into the outbox from the journal's batch, before that is forgotten, so a crash loses none; the request itself has long been
 * answered. What an account's targets do not take waits, up to a bound.
 */
import type { Clock } from '../core/clock.ts';
import type { JsonObject } from '../core/json.ts';
import { toTomanText } from '../core/money.ts';
import { completionTokens, promptTokens } from '../core/usage.ts';
import type { Database } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { SafePost } from '../platform/upstream/index.ts';
import { decodeRecord, type RequestRecord } from '../requestlog/index.ts';
import { type CarryOutcome, postWebhook } from './carry.ts';
import { isAnyDue, leaseOf, noteTry, taken } from './deliveries.ts';
import type { Notices } from './notices.ts';
import { switchOffTarget } from './switch-off.ts';

const SETTLED = 'request.settled';
/** Of one account. A target that is away for long makes it miss events, and the request log has them all. */
const MAX_WAITING = 10_000;

/** Puts the marked ones of posted lines into the outbox. */
export function createSettledEvents({ db, clock, log }: { db: Database; clock: Clock; log: Log }) {
  return {
    async put(lines: readonly string[]): Promise<void> {
      const records = lines.flatMap((line) => decodeRecord(line) ?? []).filter(({ notify }) => notify > 0);
      if (records.length === 0) return;
      const rows = await db.query<{ wanted: number; put: number }>(PUT, [
        records.map(({ accountId }) => accountId),
        records.map(({ id }) => id),
        records.map((record) => JSON.stringify(settledData(record))),
        new Date(clock.now()),
      ]);
      const [{ wanted = 0, put = 0 } = {}] = rows;
      if (put < wanted) log.warn({ dropped: wanted - put }, 'events of settled requests were dropped: too many wait');
    },
  };
}

/** One statement for the batch. Rows that are there already are those of a batch that is posted again. */
const PUT = `
with given as (
  select * from unnest($1::text[], $2::text[], $3::text[]) with ordinality as line (account_id, request_id, data, place)
), wanted as (
  select given.account_id, given.request_id || '.' || target.id as id, target.id as target_id, data::jsonb as data,
    row_number() over (partition by given.account_id order by place, target.id) as nth
  from given join alert_target target on target.account_id = given.account_id and target.enabled
), waiting as (
  select account_id, count(*) as n from settled_event where account_id = any($1::text[]) group by account_id
), put as (
  insert into settled_event (id, account_id, target_id, data, state, next_try_at, created_at)
  select id, account_id, target_id, data, 'waiting', $4, $4 from wanted left join waiting using (account_id)
  where coalesce(n, 0) + nth <= ${MAX_WAITING}
  on conflict (id) do nothing returning id
)
select (select count(*) from wanted where not exists (select from settled_event one where one.id = wanted.id))::float8 as wanted,
  (select count(*) from put)::float8 as put`;

function settledData(record: RequestRecord): JsonObject {
  const { usage, errorCode } = record;
  return {
    request_id: record.id,
    created_at: new Date(record.createdAt).toISOString(),
    key_id: record.keyId,
    endpoint: record.endpoint,
    model: record.model,
    stream: record.stream,
    state: record.state,
    error: errorCode === null ? null : { code: errorCode },
    user: record.user,
    tags: record.tags,
    prompt_tokens: usage && promptTokens(usage),
    completion_tokens: usage && completionTokens(usage),
    cost: toTomanText(record.cost),
    duration_ms: record.durationMs,
  };
}

export interface SettledOutboxOptions {
  db: Database;
  clock: Clock;
  secrets: SecretBox;
  post: SafePost;
  notices: Notices;
  chance(): number;
  timeoutMs?: number;
}

interface DueRow {
  id: string;
  account_id: string;
  tries: number;
  first_try_at: Date | null;
  data: JsonObject;
  created_at: Date;
  target_id: string;
  url: string | null;
  sealed: string | null;
  target_enabled: boolean | null;
}

/** Carries them as other webhooks are carried, beside these: a flood of requests holds up no alert. */
export class SettledOutbox {
  readonly #options: SettledOutboxOptions;

  constructor(options: SettledOutboxOptions) {
    this.#options = options;
  }

  /** Returns how many were tried. */
  async deliverDue(max: number): Promise<number> {
    const { db, clock } = this.#options;
    const nowMs = clock.now();
    if (!(await isAnyDue(db, 'settled_event', nowMs))) return 0;
    const due = await db.query<DueRow>(
      `with ${taken('settled_event')}
       select taken.id, taken.account_id, taken.tries, taken.first_try_at, taken.data, taken.created_at, taken.target_id, target.url,
         target.sealed, target.enabled as target_enabled
       from taken left join alert_target target on target.id = taken.target_id`,
      leaseOf(nowMs, max),
    );
    await Promise.all(due.map((row) => this.#deliver(row)));
    return due.length;
  }

  async #deliver(row: DueRow): Promise<void> {
    const { db, clock, chance } = this.#options;
    const outcome: CarryOutcome = await postWebhook(this.#options, {
      id: row.id,
      event: SETTLED,
      data: row.data,
      at: row.created_at,
      url: row.url,
      sealed: row.sealed,
      isOn: row.target_enabled !== false,
    });
    const state = await noteTry(db, 'settled_event', row, outcome, { nowMs: clock.now(), chance: chance() });
    if (state === 'waiting') return;
    await db.query('delete from settled_event where id = $1', [row.id]);
    if (state === 'failed') await switchOffTarget(this.#options, row, outcome);
  }
}
