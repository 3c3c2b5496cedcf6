/** Statements on stored answers. */
import { column, columnsOf, command, orNull, type Queryable, type RowOf, statement } from '../platform/db/index.ts';
import { type PackedResponse, type StoredResponse, unpack } from './stored-response.ts';

const responseRow = {
  id: column.text,
  account_id: column.text,
  previous_id: orNull(column.text),
  input: column.text,
  response: column.text,
  created_at: column.timestamp,
  expires_at: column.timestamp,
  runs_until: orNull(column.timestamp),
};
type Row = RowOf<typeof responseRow>;

const COLUMNS = columnsOf(responseRow);

const INSERT_RESPONSE = command(
  `insert into response_store (id, account_id, previous_id, input, response, item_ids, created_at, expires_at, runs_until)
   values ($1, $2, $3, $4, $5, $6, to_timestamp($7 / 1000.0), to_timestamp($8 / 1000.0), to_timestamp($9::float8 / 1000))
   on conflict (id) do nothing`,
  { name: 'response-insert' },
);

export async function insertResponse(db: Queryable, packed: PackedResponse): Promise<void> {
  await INSERT_RESPONSE.run(db, [
    packed.id,
    packed.accountId,
    packed.previousId,
    packed.inputText,
    packed.responseText,
    [...packed.itemIds],
    packed.createdAt,
    packed.expiresAt,
    packed.runsUntil ?? null,
  ]);
}

/** One answer of a chain, without its texts. */
const linkRow = {
  id: column.text,
  previousId: orNull(column.text),
  /** The size of both texts. */
  bytes: column.int,
};
export type StoredLink = RowOf<typeof linkRow>;

/** Reads no text, because the length of a long value is stored beside it. */
const BYTES = 'octet_length(r.input) + octet_length(r.response)';

const LINKS = statement(
  linkRow,
  `with recursive chain as (
     select r.id, r.previous_id, ${BYTES} as bytes, 1 as depth from response_store r
      where r.id = $1 and r.account_id = $2 and r.expires_at > to_timestamp($3 / 1000.0)
     union all
     select r.id, r.previous_id, ${BYTES}, chain.depth + 1
       from response_store r join chain on r.id = chain.previous_id
      where r.account_id = $2 and r.expires_at > to_timestamp($3 / 1000.0) and chain.depth < $4)
   select id, previous_id as "previousId", bytes from chain order by depth`,
  { name: 'response-links' },
);

/** The answer and those before it, newest first, up to a limit. */
export async function selectLinks(
  db: Queryable,
  accountId: string,
  id: string,
  nowMs: number,
  maxLinks: number,
): Promise<StoredLink[]> {
  return LINKS.rows(db, [id, accountId, nowMs, maxLinks]);
}

const HOLDERS = statement(
  linkRow,
  `select distinct holder.id, holder.previous_id as "previousId", holder.bytes
     from unnest($2::text[]) as wanted (item)
    cross join lateral (
      select r.id, r.previous_id, ${BYTES} as bytes from response_store r
       where r.account_id = $1 and r.item_ids @> array[wanted.item] and r.expires_at > to_timestamp($3 / 1000.0)
       order by r.created_at desc, r.id desc limit 1) holder`,
  { name: 'response-holders' },
);

/** For each item the newest answer that contains it; many answers may contain the same item. */
export async function selectHolders(
  db: Queryable,
  accountId: string,
  itemIds: readonly string[],
  nowMs: number,
): Promise<StoredLink[]> {
  return HOLDERS.rows(db, [accountId, [...itemIds], nowMs]);
}

const TEXTS = statement(
  responseRow,
  `select ${COLUMNS} from response_store where account_id = $1 and id = any($2::text[])`,
  { name: 'response-texts' },
);

/** In any order; an answer that was deleted meanwhile is missing. */
export async function selectTexts(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, StoredResponse>> {
  const rows = await TEXTS.rows(db, [accountId, [...ids]]);
  return new Map(rows.map((row) => [row.id, storedOf(row)]));
}

const END_RESPONSE = statement(
  { id: column.text },
  `update response_store set response = $3, item_ids = $4, runs_until = null
    where id = $1 and account_id = $2 and runs_until is not null returning id`,
);

/** Overwrites the beginning of an answer with its end. Returns false when it had ended before, or was deleted. */
export async function endResponse(db: Queryable, { id, accountId, responseText, itemIds }: PackedResponse) {
  const rows = await END_RESPONSE.rows(db, [id, accountId, responseText, [...itemIds]]);
  return rows.length > 0;
}

const MARK_STILL_RUNNING = statement(
  { id: column.text },
  `update response_store set runs_until = to_timestamp($2 / 1000.0)
    where id = any($1::text[]) and runs_until is not null returning id`,
);

/** Called while their maker is alive. Returns those that are still running. */
export async function markStillRunning(db: Queryable, ids: readonly string[], untilMs: number): Promise<Set<string>> {
  const rows = await MARK_STILL_RUNNING.rows(db, [[...ids], untilMs]);
  return new Set(rows.map(({ id }) => id));
}

const DELETE_RESPONSE = statement(
  { id: column.text },
  'delete from response_store where id = $1 and account_id = $2 returning id',
);

export async function deleteResponse(db: Queryable, accountId: string, id: string): Promise<boolean> {
  const rows = await DELETE_RESPONSE.rows(db, [id, accountId]);
  return rows.length > 0;
}

const PROLONG_RESPONSES = command(
  'update response_store set expires_at = greatest(expires_at, to_timestamp($2 / 1000.0)) where id = any($1::text[])',
);

/** Keeps the beginning of a conversation that goes on. */
export async function prolong(db: Queryable, ids: readonly string[], expiresAt: number): Promise<void> {
  await PROLONG_RESPONSES.run(db, [[...ids], expiresAt]);
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
