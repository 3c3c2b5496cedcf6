/** The statements on price lists: proposed, announced for a date, in force, replaced. */
import type { Queryable } from '../../platform/db/index.ts';
import type { ListedModel } from '../seed/listed-model.ts';

export interface ListRow {
  id: string;
  origin: string;
  state: string;
  models: ListedModel[];
  created_at: Date;
  effective_at: Date | null;
  applied_at: Date | null;
}

const COLUMNS = 'id, origin, state, models, created_at, effective_at, applied_at';
const KEPT = 20;

interface NewList {
  id: string;
  origin: string;
  models: ListedModel[];
  now: Date;
}

/** Deletes old lists that were never applied. */
export async function insertList(tx: Queryable, { id, origin, models, now }: NewList): Promise<ListRow> {
  await tx.query(
    `insert into price_list (id, origin, state, models, created_at) values ($1, $2, 'proposed', $3::jsonb, $4)`,
    [id, origin, JSON.stringify(models), now],
  );
  await tx.query(
    `delete from price_list where state in ('proposed', 'replaced')
       and id not in (select id from price_list order by seq desc limit ${KEPT})`,
  );
  return { id, origin, state: 'proposed', models, created_at: now, effective_at: null, applied_at: null };
}

/** Announced lists first. */
export function newestLists(db: Queryable, max: number): Promise<ListRow[]> {
  return db.query<ListRow>(
    `select ${COLUMNS} from price_list order by state = 'announced' desc, seq desc limit ${max}`,
  );
}

export async function findList(tx: Queryable, id: string): Promise<ListRow | undefined> {
  const [row] = await tx.query<ListRow>(`select ${COLUMNS} from price_list where id = $1 for update`, [id]);
  return row;
}

/** Announced lists whose date has come, in the order of their dates. */
export function dueLists(db: Queryable, nowMs: number): Promise<ListRow[]> {
  return db.query<ListRow>(
    `select ${COLUMNS} from price_list where state = 'announced' and effective_at <= $1 order by effective_at, seq`,
    [new Date(nowMs)],
  );
}

export async function lastApplied(tx: Queryable): Promise<ListedModel[] | undefined> {
  const [row] = await tx.query<{ models: ListedModel[] }>(
    `select models from price_list where state = 'applied' order by effective_at desc, seq desc limit 1`,
  );
  return row?.models;
}

export async function announceList(tx: Queryable, id: string, from: Date): Promise<void> {
  await tx.query(`update price_list set state = 'announced', effective_at = $2, applied_at = null where id = $1`, [
    id,
    from,
  ]);
}

export async function unannounceList(tx: Queryable, row: ListRow): Promise<ListRow> {
  await tx.query(`update price_list set state = 'proposed', effective_at = null where id = $1`, [row.id]);
  return { ...row, state: 'proposed', effective_at: null };
}

/** From its date on this list replaces the one before; undefined: the shipped list, from now on. */
export async function putIntoForce(tx: Queryable, id: string | undefined, now: Date, from: Date): Promise<void> {
  await tx.query(
    `update price_list set state = 'replaced'
     where (state = 'applied' or state = 'announced' and effective_at <= $1) and id is distinct from $2`,
    [now, id ?? null],
  );
  if (id === undefined) return;
  await tx.query(`update price_list set state = 'applied', applied_at = $2, effective_at = $3 where id = $1`, [
    id,
    now,
    from,
  ]);
}
