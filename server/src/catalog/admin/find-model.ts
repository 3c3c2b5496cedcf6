/** One model's row, locked until the caller's transaction ends. */
import type { Queryable } from '../../platform/db/index.ts';
import { LOCKED_MODEL, type ModelRow } from '../catalog-rows.ts';
import { notFound } from './change.ts';

export async function findModel(tx: Queryable, id: string): Promise<ModelRow> {
  const row = await LOCKED_MODEL.first(tx, [id]);
  if (!row) throw notFound('model', id);
  return row;
}
