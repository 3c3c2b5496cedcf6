/**
 * The statements of shared claims. Leases are by the database's clock, so that replicas whose clocks differ agree on who is
 * alive; expiry is by the caller's, as in memory.
 */
import { column, command, orNull, type Queryable, type RowOf, statement } from '../../platform/db/index.ts';
import { headOf, type SharedAnswer } from './shared-answer.ts';

/** A request that wants to answer under a key. */
export interface Claimant {
  /** Digest of account, endpoint and key. */
  id: string;
  accountId: string;
  bodyDigest: string;
  requestId: string;
  createdAt: number;
  expiresAt: number;
}

export interface Ownership {
  owner: string;
  leaseMs: number;
}

const claimRow = {
  body_digest: column.text,
  request_id: column.text,
  state: column.textOf<'running' | 'done'>(),
  /** The owner has sent no heartbeat for the length of a lease. */
  abandoned: column.boolean,
  /** The owner was about to charge it, or has done so; only the owner's journal knows which. */
  charged: column.boolean,
  expires_at: column.timestamp,
  answer_head: orNull(column.text),
  answer_body: orNull(column.bytes),
};
export type ClaimRow = RowOf<typeof claimRow>;

const LEASE = `now() + $6::float8 * interval '1 millisecond'`;

function claimValues({ id, accountId, bodyDigest, requestId, createdAt, expiresAt }: Claimant, by: Ownership) {
  return [id, accountId, bodyDigest, by.owner, requestId, by.leaseMs, createdAt, expiresAt];
}

const INSERT_CLAIM = statement(
  { id: column.text },
  `insert into idempotency_claim as c
     (id, account_id, body_digest, owner, request_id, state, lease_until, created_at, expires_at)
   values ($1, $2, $3, $4, $5, 'running', ${LEASE}, to_timestamp($7 / 1000.0), to_timestamp($8 / 1000.0))
   on conflict (id) do update set
     body_digest = excluded.body_digest, owner = excluded.owner, request_id = excluded.request_id, state = 'running',
     awaited = false, charged = false, lease_until = excluded.lease_until, created_at = excluded.created_at,
     expires_at = excluded.expires_at, answer_head = null, answer_body = null, answer_bytes = 0
   where c.expires_at <= excluded.created_at and (c.state = 'done' or c.lease_until < now())
   returning id`,
  { name: 'idempotency-claim' },
);

/** True for exactly one of several that try at once. An expired row counts as absent. */
export async function insertClaim(db: Queryable, claimant: Claimant, by: Ownership): Promise<boolean> {
  const rows = await INSERT_CLAIM.rows(db, claimValues(claimant, by));
  return rows.length > 0;
}

const CLAIM = statement(
  claimRow,
  `select body_digest, request_id, state, state = 'running' and lease_until < now() as abandoned, charged, expires_at,
          answer_head, answer_body
     from idempotency_claim where id = $1`,
  { name: 'idempotency-read' },
);

export async function selectClaim(db: Queryable, id: string): Promise<ClaimRow | undefined> {
  return CLAIM.first(db, [id]);
}

const TAKE_OVER = statement(
  { id: column.text },
  `update idempotency_claim set
     account_id = $2, body_digest = $3, owner = $4, request_id = $5, lease_until = ${LEASE},
     created_at = to_timestamp($7 / 1000.0), expires_at = to_timestamp($8 / 1000.0)
   where id = $1 and request_id = $9 and state = 'running' and not charged and lease_until < now() returning id`,
);

/** Takes over the claim of a request whose owner died. True for exactly one of several that try. */
export async function takeOver(db: Queryable, claimant: Claimant, by: Ownership, deadRequest: string) {
  const rows = await TAKE_OVER.rows(db, [...claimValues(claimant, by), deadRequest]);
  return rows.length > 0;
}

const MARK_CHARGED = statement(
  { id: column.text },
  `insert into idempotency_claim as c
     (id, account_id, body_digest, owner, request_id, state, charged, lease_until, created_at, expires_at)
   values ($1, $2, $3, $4, $5, 'running', true, ${LEASE}, to_timestamp($7 / 1000.0), to_timestamp($8 / 1000.0))
   on conflict (id) do update set
     body_digest = excluded.body_digest, owner = excluded.owner, request_id = excluded.request_id, state = 'running',
     awaited = c.awaited and c.state = 'running', charged = true, lease_until = excluded.lease_until,
     created_at = excluded.created_at, expires_at = excluded.expires_at,
     answer_head = null, answer_body = null, answer_bytes = 0
   where (c.request_id = excluded.request_id and c.state = 'running')
      or (c.expires_at <= excluded.created_at and (c.state = 'done' or c.lease_until < now()))
   returning id`,
  { name: 'idempotency-charge' },
);

/**
 * Marks that the request is about to be charged; also works for one whose claim did not reach the database when it began. False
 * when the key belongs to another request by now, because this one was taken for dead.
 */
export async function markCharged(db: Queryable, claimant: Claimant, by: Ownership): Promise<boolean> {
  const rows = await MARK_CHARGED.rows(db, claimValues(claimant, by));
  return rows.length > 0;
}

const MARK_AWAITED = statement(
  { id: column.text },
  `update idempotency_claim set awaited = true where id = $1 and state = 'running' returning id`,
);

/** False when it runs no longer. */
export async function markAwaited(db: Queryable, id: string): Promise<boolean> {
  const rows = await MARK_AWAITED.rows(db, [id]);
  return rows.length > 0;
}

const MARK_ANSWER_LOST = command(
  `update idempotency_claim set state = 'done'
    where id = any($1::text[]) and request_id = any($2::text[]) and state = 'running'`,
);

export async function markAnswerLost(db: Queryable, ids: readonly string[], requestIds: readonly string[]) {
  await MARK_ANSWER_LOST.run(db, [[...ids], [...requestIds]]);
}

const SAVE_ANSWER = statement(
  { awaited: column.boolean },
  `insert into idempotency_claim as c (id, account_id, body_digest, owner, request_id, state, lease_until, created_at,
     expires_at, answer_head, answer_body, answer_bytes)
   values ($1, $2, $3, $4, $5, 'done', ${LEASE}, to_timestamp($7 / 1000.0), to_timestamp($8 / 1000.0), $9, $10, $11)
   on conflict (id) do update set state = 'done', answer_head = excluded.answer_head,
     answer_body = excluded.answer_body, answer_bytes = excluded.answer_bytes
   where c.request_id = excluded.request_id
   returning awaited`,
  { name: 'idempotency-save' },
);

/**
 * The end of a request, also of one whose claim did not reach the database while it ran; never that of another request.
 * Tells whether somebody waits for it.
 */
export async function saveAnswer(
  db: Queryable,
  claimant: Claimant,
  by: Ownership,
  answer: SharedAnswer | undefined,
): Promise<boolean> {
  const rows = await SAVE_ANSWER.rows(db, [
    ...claimValues(claimant, by),
    answer ? headOf(answer) : null,
    answer ? bufferOf(answer.body) : null,
    answer?.body.byteLength ?? 0,
  ]);
  return rows[0]?.awaited === true;
}

const DELETE_CLAIM = statement(
  { awaited: column.boolean },
  `delete from idempotency_claim where id = $1 and request_id = $2 and state = 'running' returning awaited`,
);

/** The key is free again. Tells whether somebody waits for it. */
export async function deleteClaim(db: Queryable, { id, requestId }: Claimant): Promise<boolean> {
  const rows = await DELETE_CLAIM.rows(db, [id, requestId]);
  return rows[0]?.awaited === true;
}

const PROLONG_LEASES = command(
  `update idempotency_claim set lease_until = now() + $3::float8 * interval '1 millisecond'
    where id = any($1::text[]) and request_id = any($2::text[]) and state = 'running'`,
);

export async function prolongLeases(db: Queryable, claimants: Iterable<Claimant>, leaseMs: number): Promise<void> {
  const all = [...claimants];
  await PROLONG_LEASES.run(db, [all.map(({ id }) => id), all.map(({ requestId }) => requestId), leaseMs]);
}

const RUNNING_OF_THESE = statement(
  { id: column.text },
  `select id from idempotency_claim where id = any($1::text[]) and state = 'running' and lease_until >= now()`,
);

/** Claims whose owner is alive and not done. */
export async function selectRunning(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const rows = await RUNNING_OF_THESE.rows(db, [[...ids]]);
  return new Set(rows.map(({ id }) => id));
}

const RUNNING_OF_OWNER = statement(
  { id: column.text, request_id: column.text },
  `select id, request_id from idempotency_claim where owner = $1 and state = 'running'`,
);

export async function selectRunningOf(db: Queryable, owner: string): Promise<{ id: string; request_id: string }[]> {
  return RUNNING_OF_OWNER.rows(db, [owner]);
}

const DELETE_RUNNING = command(`delete from idempotency_claim where owner = $1 and state = 'running'`);

export async function deleteRunningOf(db: Queryable, owner: string): Promise<void> {
  await DELETE_RUNNING.run(db, [owner]);
}

/** The driver writes a Buffer as bytes, and another view of bytes as text. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
