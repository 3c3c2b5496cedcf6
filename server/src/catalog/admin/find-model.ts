/** One model's row, locked until the change that asked for it is done. */
import type { Queryable } from '../../platform/db/index.ts';
import { MODEL_COLUMNS, type ModelRow } from '../rows.ts';
import { notFound } from './change.ts';

export async function findModel(tx: Queryable, id: string): Promise<ModelRow> {
  const [row] = await tx.query<ModelRow>(`select ${MODEL_COLUMNS} from model where id = $1 for update`, [id]);
  if (!row) throw notFound('model', id);
  return row;
}
