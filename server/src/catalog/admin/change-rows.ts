/** The statements on changes of the catalog: drafts, what was published, what was undone. */
import type { Queryable } from '../../platform/db/index.ts';
import { notFound } from './change.ts';
import type { Edit } from './change-edits.ts';

export interface ChangeRow {
  id: string;
  state: 'draft' | 'published' | 'undone';
  edits: Edit[];
  base: Record<string, string>;
  inverse: Edit[] | null;
  after: Record<string, string> | null;
  note: string | null;
  made_by: string;
  made_at: Date;
  published_by: string | null;
  published_at: Date | null;
  undoes: string | null;
  undone_by: string | null;
}

const COLUMNS =
  'id, state, edits, base, inverse, after, note, made_by, made_at, published_by, published_at, undoes, undone_by';

/** Drafts first, then the newest. */
export function listChanges(db: Queryable, most: number): Promise<ChangeRow[]> {
  return db.query<ChangeRow>(
    `select ${COLUMNS} from catalog_change order by state = 'draft' desc, seq desc limit ${most}`,
  );
}

export async function findChange(db: Queryable, id: string, lock = false): Promise<ChangeRow> {
  const [row] = await db.query<ChangeRow>(
    `select ${COLUMNS} from catalog_change where id = $1 ${lock ? 'for update' : ''}`,
    [id],
  );
  if (!row) throw notFound('change', id);
  return row;
}

export async function insertChange(
  tx: Queryable,
  row: Pick<ChangeRow, 'id' | 'state' | 'edits' | 'base' | 'note' | 'made_by' | 'made_at' | 'undoes'>,
): Promise<void> {
  await tx.query(
    `insert into catalog_change (id, state, edits, base, note, made_by, made_at, undoes)
     values ($1, $2, $3::jsonb, $4::jsonb, $5, $6, $7, $8)`,
    [
      row.id,
      row.state,
      JSON.stringify(row.edits),
      JSON.stringify(row.base),
      row.note,
      row.made_by,
      row.made_at,
      row.undoes,
    ],
  );
}

export async function rewriteDraft(
  tx: Queryable,
  { id, edits, base, note }: Pick<ChangeRow, 'id' | 'edits' | 'base' | 'note'>,
): Promise<void> {
  await tx.query('update catalog_change set edits = $2::jsonb, base = $3::jsonb, note = $4 where id = $1', [
    id,
    JSON.stringify(edits),
    JSON.stringify(base),
    note,
  ]);
}

export async function markPublished(
  tx: Queryable,
  { id, inverse, after }: { id: string; inverse: Edit[] | null; after: Record<string, string> },
  actor: string,
  now: Date,
): Promise<void> {
  await tx.query(
    `update catalog_change set state = 'published', inverse = $2::jsonb, after = $3::jsonb, published_by = $4, published_at = $5
     where id = $1`,
    [id, inverse === null ? null : JSON.stringify(inverse), JSON.stringify(after), actor, now],
  );
}

export async function markUndone(tx: Queryable, id: string, by: string): Promise<void> {
  await tx.query(`update catalog_change set state = 'undone', undone_by = $2 where id = $1`, [id, by]);
}
