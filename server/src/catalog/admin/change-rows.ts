/** The statements on changes of the catalog: drafts, what was published, what was undone. */
import { column, columnsOf, command, orNull, type Queryable, type RowOf, statement } from '../../platform/db/index.ts';
import { notFound } from './change.ts';
import type { Edit } from './change-edits.ts';

const changeRow = {
  id: column.text,
  state: column.textOf<'draft' | 'published' | 'undone'>(),
  edits: column.jsonOf<Edit[]>(),
  base: column.jsonOf<Record<string, string>>(),
  inverse: orNull(column.jsonOf<Edit[]>()),
  after: orNull(column.jsonOf<Record<string, string>>()),
  note: orNull(column.text),
  made_by: column.text,
  made_at: column.timestamp,
  published_by: orNull(column.text),
  published_at: orNull(column.timestamp),
  undoes: orNull(column.text),
  undone_by: orNull(column.text),
};
export type ChangeRow = RowOf<typeof changeRow>;
const CHANGE = columnsOf(changeRow);

const CHANGES = statement(
  changeRow,
  `select ${CHANGE} from catalog_change order by state = 'draft' desc, seq desc limit $1::int`,
);

/** Drafts first, then the newest. */
export function listChanges(db: Queryable, max: number): Promise<ChangeRow[]> {
  return CHANGES.rows(db, [max]);
}

const CHANGE_BY_ID = statement(changeRow, `select ${CHANGE} from catalog_change where id = $1`);
const LOCKED_CHANGE = statement(changeRow, `${CHANGE_BY_ID.text} for update`);

export async function findChange(db: Queryable, id: string, lock = false): Promise<ChangeRow> {
  const row = await (lock ? LOCKED_CHANGE : CHANGE_BY_ID).first(db, [id]);
  if (!row) throw notFound('change', id);
  return row;
}

const INSERT_CHANGE = command(
  `insert into catalog_change (id, state, edits, base, note, made_by, made_at, undoes)
   values ($1, $2, $3::jsonb, $4::jsonb, $5, $6, $7, $8)`,
);

export async function insertChange(
  tx: Queryable,
  row: Pick<ChangeRow, 'id' | 'state' | 'edits' | 'base' | 'note' | 'made_by' | 'made_at' | 'undoes'>,
): Promise<void> {
  await INSERT_CHANGE.run(tx, [
    row.id,
    row.state,
    JSON.stringify(row.edits),
    JSON.stringify(row.base),
    row.note,
    row.made_by,
    row.made_at,
    row.undoes,
  ]);
}

const REWRITE_DRAFT = command('update catalog_change set edits = $2::jsonb, base = $3::jsonb, note = $4 where id = $1');

export async function rewriteDraft(
  tx: Queryable,
  { id, edits, base, note }: Pick<ChangeRow, 'id' | 'edits' | 'base' | 'note'>,
): Promise<void> {
  await REWRITE_DRAFT.run(tx, [id, JSON.stringify(edits), JSON.stringify(base), note]);
}

const MARK_PUBLISHED = command(
  `update catalog_change set state = 'published', inverse = $2::jsonb, after = $3::jsonb, published_by = $4, published_at = $5
   where id = $1`,
);

export async function markPublished(
  tx: Queryable,
  { id, inverse, after }: { id: string; inverse: Edit[] | null; after: Record<string, string> },
  actor: string,
  now: Date,
): Promise<void> {
  const stored = inverse === null ? null : JSON.stringify(inverse);
  await MARK_PUBLISHED.run(tx, [id, stored, JSON.stringify(after), actor, now]);
}

const MARK_UNDONE = command(`update catalog_change set state = 'undone', undone_by = $2 where id = $1`);

export async function markUndone(tx: Queryable, id: string, by: string): Promise<void> {
  await MARK_UNDONE.run(tx, [id, by]);
}

export const DISCARD_DRAFT = command('delete from catalog_change where id = $1');
