/** What steps of the guide have once seen, kept so that large tables are not searched again. */
import type { Queryable } from '../platform/db/index.ts';

/** `dismissed` is no step: the owner does not want to see the guide any more. */
export type Witnessed = 'messenger' | 'payment' | 'first_sale' | 'backup' | 'dismissed';

export interface Evidence {
  /** The carrier, the order, the request or the place. */
  what: string;
  actor: string;
  at: Date;
}

export async function readEvidence(db: Queryable): Promise<Map<string, Evidence>> {
  const rows = await db.query<Evidence & { step: string }>('select step, what, actor, at from setup_evidence');
  return new Map(rows.map(({ step, ...seen }) => [step, seen]));
}

export async function writeEvidence(db: Queryable, step: Witnessed, { what, actor, at }: Evidence): Promise<void> {
  await db.query(
    `insert into setup_evidence (step, what, actor, at) values ($1, $2, $3, $4)
     on conflict (step) do update set what = excluded.what, actor = excluded.actor, at = excluded.at`,
    [step, what, actor, at],
  );
}

export async function dropEvidence(db: Queryable, step: Witnessed): Promise<void> {
  await db.query('delete from setup_evidence where step = $1', [step]);
}
