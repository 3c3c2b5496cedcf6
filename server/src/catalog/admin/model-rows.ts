/** The statements on models. */
import type { Queryable } from '../../platform/db/index.ts';
import type { readModelFacts } from '../reading/index.ts';
import type { RowState } from '../rows.ts';
import type { DeclaredModel } from '../seed/declared.ts';
import type { ListedModel } from '../seed/listed-model.ts';

type Facts = ReturnType<typeof readModelFacts>;

export async function insertModel(tx: Queryable, model: DeclaredModel, enabled: boolean, now: Date): Promise<void> {
  await tx.query(
    `insert into model (id, kind, name, name_fa, context, max_output, hidden_tokens_per_second, capabilities, categories, hedge,
       managed_by, enabled, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9::jsonb, $10, 'operator', $11, $12, $12)`,
    [model.id, ...factValues(model), enabled, now],
  );
}

/** A model of the list: its facts and its price go on following the list. One that is there already stays as it is. */
export async function insertListedModel(tx: Queryable, listed: ListedModel, now: Date): Promise<void> {
  await tx.query(
    `insert into model (id, kind, name, name_fa, context, max_output, hidden_tokens_per_second, capabilities, categories, hedge,
       managed_by, enabled, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9::jsonb, $10, 'catalog', true, $11, $11)
     on conflict (id) do nothing`,
    [listed.id, ...factValues({ ...listed, nameFa: undefined, hedge: false }), now],
  );
}

/** A model that is off already keeps the time at which it was first switched off. */
export async function switchModel(tx: Queryable, id: string, state: RowState | null, now: Date): Promise<void> {
  await tx.query(
    `update model set enabled = $2, state = $4, updated_at = $3,
       disabled_at = case when $2 then null when enabled then $3 else disabled_at end,
       successor = case when $2 and retires_at <= $3 then null else successor end,
       retires_at = case when $2 and retires_at <= $3 then null else retires_at end
     where id = $1`,
    [id, state === null, now, state],
  );
}

export async function writeFacts(tx: Queryable, id: string, facts: Facts, now: Date): Promise<void> {
  await tx.query(
    `update model set kind = $2, name = $3, name_fa = $4, context = $5, max_output = $6,
       hidden_tokens_per_second = $7, capabilities = $8::jsonb, categories = $9::jsonb, hedge = $10, managed_by = 'operator',
       updated_at = $11 where id = $1`,
    [id, ...factValues(facts), now],
  );
}

export async function writeDescription(
  tx: Queryable,
  id: string,
  { fa, en }: { fa: string | null; en: string | null },
  now: Date,
): Promise<void> {
  await tx.query('update model set description_fa = $2, description_en = $3, updated_at = $4 where id = $1', [
    id,
    fa,
    en,
    now,
  ]);
}

function factValues(facts: Facts): unknown[] {
  const { kind, name, nameFa, context, maxOutput, hiddenTokensPerSecond, capabilities, categories, hedge } = facts;
  const lists = [JSON.stringify(capabilities), JSON.stringify(categories)];
  return [
    kind,
    name,
    nameFa ?? null,
    context ?? null,
    maxOutput ?? null,
    hiddenTokensPerSecond ?? null,
    ...lists,
    hedge,
  ];
}
