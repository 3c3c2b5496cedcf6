/** What steps of the guide have found once, stored so that large tables are not searched again. */
import type { Queryable } from '../platform/db/index.ts';
import { DROP_EVIDENCE, EVIDENCE, WRITE_EVIDENCE } from './setup-rows.ts';

/** `dismissed` is not a step: the owner has closed the guide. */
export type Witnessed = 'messenger' | 'payment' | 'first_sale' | 'backup' | 'dismissed';

export interface Evidence {
  /** The carrier, order, request or place that was found. */
  what: string;
  actor: string;
  at: Date;
}

export async function readEvidence(db: Queryable): Promise<Map<string, Evidence>> {
  const rows = await EVIDENCE.rows(db);
  return new Map(rows.map(({ step, ...seen }) => [step, seen]));
}

export async function writeEvidence(db: Queryable, step: Witnessed, { what, actor, at }: Evidence): Promise<void> {
  await WRITE_EVIDENCE.run(db, [step, what, actor, at]);
}

export async function dropEvidence(db: Queryable, step: Witnessed): Promise<void> {
  await DROP_EVIDENCE.run(db, [step]);
}
