/** The statements on price lists: proposed, announced for a date, in force, replaced. */
import { column, columnsOf, command, orNull, type Queryable, type RowOf, statement } from '../../platform/db/index.ts';
import type { ListedModel } from '../seed/listed-model.ts';

const listRow = {
  id: column.text,
  origin: column.text,
  state: column.text,
  models: column.jsonOf<ListedModel[]>(),
  created_at: column.timestamp,
  effective_at: orNull(column.timestamp),
  applied_at: orNull(column.timestamp),
};
export type ListRow = RowOf<typeof listRow>;
const LIST = columnsOf(listRow);
const KEPT = 20;

interface NewList {
  id: string;
  origin: string;
  models: ListedModel[];
  now: Date;
}

const INSERT_LIST = command(
  `insert into price_list (id, origin, state, models, created_at) values ($1, $2, 'proposed', $3::jsonb, $4)`,
);
const DELETE_OLD_LISTS = command(
  `delete from price_list where state in ('proposed', 'replaced')
     and id not in (select id from price_list order by seq desc limit ${KEPT})`,
);

/** Deletes old lists that were never applied. */
export async function insertList(tx: Queryable, { id, origin, models, now }: NewList): Promise<ListRow> {
  await INSERT_LIST.run(tx, [id, origin, JSON.stringify(models), now]);
  await DELETE_OLD_LISTS.run(tx);
  return { id, origin, state: 'proposed', models, created_at: now, effective_at: null, applied_at: null };
}

const NEWEST_LISTS = statement(
  listRow,
  `select ${LIST} from price_list order by state = 'announced' desc, seq desc limit $1::int`,
);

/** Announced lists first. */
export function newestLists(db: Queryable, max: number): Promise<ListRow[]> {
  return NEWEST_LISTS.rows(db, [max]);
}

const LOCKED_LIST = statement(listRow, `select ${LIST} from price_list where id = $1 for update`);

export function findList(tx: Queryable, id: string): Promise<ListRow | undefined> {
  return LOCKED_LIST.first(tx, [id]);
}

const DUE_LISTS = statement(
  listRow,
  `select ${LIST} from price_list where state = 'announced' and effective_at <= $1 order by effective_at, seq`,
);

/** Announced lists whose date has come, in the order of their dates. */
export function dueLists(db: Queryable, nowMs: number): Promise<ListRow[]> {
  return DUE_LISTS.rows(db, [new Date(nowMs)]);
}

const LAST_APPLIED = statement(
  { models: column.jsonOf<ListedModel[]>() },
  `select models from price_list where state = 'applied' order by effective_at desc, seq desc limit 1`,
);

export async function lastApplied(tx: Queryable): Promise<ListedModel[] | undefined> {
  return (await LAST_APPLIED.first(tx))?.models;
}

const ANNOUNCE_LIST = command(
  `update price_list set state = 'announced', effective_at = $2, applied_at = null where id = $1`,
);

export async function announceList(tx: Queryable, id: string, from: Date): Promise<void> {
  await ANNOUNCE_LIST.run(tx, [id, from]);
}

const UNANNOUNCE_LIST = command(`update price_list set state = 'proposed', effective_at = null where id = $1`);

export async function unannounceList(tx: Queryable, row: ListRow): Promise<ListRow> {
  await UNANNOUNCE_LIST.run(tx, [row.id]);
  return { ...row, state: 'proposed', effective_at: null };
}

const REPLACE_LISTS = command(
  `update price_list set state = 'replaced'
   where (state = 'applied' or state = 'announced' and effective_at <= $1) and id is distinct from $2`,
);
const APPLY_LIST = command(`update price_list set state = 'applied', applied_at = $2, effective_at = $3 where id = $1`);

/** From its date on this list replaces the one before; undefined stands for the shipped list, from now on. */
export async function putIntoForce(tx: Queryable, id: string | undefined, now: Date, from: Date): Promise<void> {
  await REPLACE_LISTS.run(tx, [now, id ?? null]);
  if (id !== undefined) await APPLY_LIST.run(tx, [id, now, from]);
}
