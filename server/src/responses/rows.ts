/** The statements of stored answers. */
import type { Queryable } from '../platform/db/index.ts';
import { type PackedResponse, type StoredResponse, unpack } from './stored-response.ts';

interface Row {
  id: string;
  account_id: string;
  previous_id: string | null;
  input: string;
  response: string;
  created_at: Date;
  expires_at: Date;
  runs_until: Date | null;
}

const COLUMNS = 'id, account_id, previous_id, input, response, created_at, expires_at, runs_until';

export async function insertResponse(db: Queryable, packed: PackedResponse): Promise<void> {
  await db.query(
    `insert into response_store (id, account_id, previous_id, input, response, item_ids, created_at, expires_at, runs_until)
     values ($1, $2, $3, $4, $5, $6, to_timestamp($7 / 1000.0), to_timestamp($8 / 1000.0), to_timestamp($9::float8 / 1000))
     on conflict (id) do nothing`,
    [
      packed.id,
      packed.accountId,
      packed.previousId,
      packed.inputText,
      packed.responseText,
      [...packed.itemIds],
      packed.createdAt,
      packed.expiresAt,
      packed.runsUntil ?? null,
    ],
    { name: 'response-insert' },
  );
}

/** One answer of a chain, without its texts. */
export interface StoredLink {
  id: string;
  previousId: string | null;
  /** Of both texts. */
  bytes: number;
}

/** Reads no text: the length of a long value stands beside it. */
const BYTES = 'octet_length(r.input) + octet_length(r.response)';

/** The answer and those before it, newest first, at most so many. */
export async function selectLinks(
  db: Queryable,
  accountId: string,
  id: string,
  nowMs: number,
  maxLinks: number,
): Promise<StoredLink[]> {
  return db.query<StoredLink & Record<string, unknown>>(
    `with recursive chain as (
       select r.id, r.previous_id, ${BYTES} as bytes, 1 as depth from response_store r
        where r.id = $1 and r.account_id = $2 and r.expires_at > to_timestamp($3 / 1000.0)
       union all
       select r.id, r.previous_id, ${BYTES}, chain.depth + 1
         from response_store r join chain on r.id = chain.previous_id
        where r.account_id = $2 and r.expires_at > to_timestamp($3 / 1000.0) and chain.depth < $4)
     select id, previous_id as "previousId", bytes from chain order by depth`,
    [id, accountId, nowMs, maxLinks],
    { name: 'response-links' },
  );
}

/** For each item the newest answer that holds it; many answers may hold the same item. */
export async function selectHolders(
  db: Queryable,
  accountId: string,
  itemIds: readonly string[],
  nowMs: number,
): Promise<StoredLink[]> {
  return db.query<StoredLink & Record<string, unknown>>(
    `select distinct holder.id, holder.previous_id as "previousId", holder.bytes
       from unnest($2::text[]) as wanted (item)
      cross join lateral (
        select r.id, r.previous_id, ${BYTES} as bytes from response_store r
         where r.account_id = $1 and r.item_ids @> array[wanted.item] and r.expires_at > to_timestamp($3 / 1000.0)
         order by r.created_at desc, r.id desc limit 1) holder`,
    [accountId, [...itemIds], nowMs],
    { name: 'response-holders' },
  );
}

/** In any order; one that is gone by now is missing. */
export async function selectTexts(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, StoredResponse>> {
  const rows = await db.query<Row>(
    `select ${COLUMNS} from response_store where account_id = $1 and id = any($2::text[])`,
    [accountId, [...ids]],
    { name: 'response-texts' },
  );
  return new Map(rows.map((row) => [row.id, storedOf(row)]));
}

/** Writes the end of an answer over its beginning. False when it had ended before, or was deleted. */
export async function endResponse(db: Queryable, { id, accountId, responseText, itemIds }: PackedResponse) {
  const rows = await db.query(
    `update response_store set response = $3, item_ids = $4, runs_until = null
      where id = $1 and account_id = $2 and runs_until is not null returning id`,
    [id, accountId, responseText, [...itemIds]],
  );
  return rows.length > 0;
}

/** Their maker is alive. Answers which of them are still to be made. */
export async function markStillRunning(db: Queryable, ids: readonly string[], untilMs: number): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(
    `update response_store set runs_until = to_timestamp($2 / 1000.0)
      where id = any($1::text[]) and runs_until is not null returning id`,
    [[...ids], untilMs],
  );
  return new Set(rows.map(({ id }) => id));
}

export async function deleteResponse(db: Queryable, accountId: string, id: string): Promise<boolean> {
  const rows = await db.query('delete from response_store where id = $1 and account_id = $2 returning id', [
    id,
    accountId,
  ]);
  return rows.length > 0;
}

/** A conversation that goes on keeps its beginning. */
export async function prolong(db: Queryable, ids: readonly string[], expiresAt: number): Promise<void> {
  await db.query(
    'update response_store set expires_at = greatest(expires_at, to_timestamp($2 / 1000.0)) where id = any($1::text[])',
    [[...ids], expiresAt],
  );
}

function storedOf(row: Row): StoredResponse {
  return unpack({
    id: row.id,
    accountId: row.account_id,
    previousId: row.previous_id,
    inputText: row.input,
    responseText: row.response,
    createdAt: row.created_at.getTime(),
    expiresAt: row.expires_at.getTime(),
    ...(row.runs_until && { runsUntil: row.runs_until.getTime() }),
  });
}
