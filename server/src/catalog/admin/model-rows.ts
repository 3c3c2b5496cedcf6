/** The statements on models. */
import { column, command, type Queryable, statement } from '../../platform/db/index.ts';
import type { RowState } from '../catalog-rows.ts';
import type { readModelFacts } from '../reading/index.ts';
import type { DeclaredModel } from '../seed/declared.ts';
import type { ListedModel } from '../seed/listed-model.ts';

type Facts = ReturnType<typeof readModelFacts>;

const INSERT_MODEL = command(
  `insert into model (id, kind, name, name_fa, context, max_output, hidden_tokens_per_second, capabilities, categories, hedge,
     managed_by, enabled, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9::jsonb, $10, 'operator', $11, $12, $12)`,
);

export async function insertModel(tx: Queryable, model: DeclaredModel, enabled: boolean, now: Date): Promise<void> {
  await INSERT_MODEL.run(tx, [model.id, ...factValues(model), enabled, now]);
}

const INSERT_LISTED_MODEL = command(
  `insert into model (id, kind, name, name_fa, context, max_output, hidden_tokens_per_second, capabilities, categories, hedge,
     managed_by, enabled, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9::jsonb, $10, 'catalog', true, $11, $11)
   on conflict (id) do nothing`,
);

/** A model of the list: its facts and its price keep following the list. An existing one stays as it is. */
export async function insertListedModel(tx: Queryable, listed: ListedModel, now: Date): Promise<void> {
  const facts = factValues({ ...listed, nameFa: undefined, hedge: false });
  await INSERT_LISTED_MODEL.run(tx, [listed.id, ...facts, now]);
}

const SWITCH_MODEL = command(
  `update model set enabled = $2, state = $4, updated_at = $3,
     disabled_at = case when $2 then null when enabled then $3 else disabled_at end,
     successor = case when $2 and retires_at <= $3 then null else successor end,
     retires_at = case when $2 and retires_at <= $3 then null else retires_at end
   where id = $1`,
);

/** A model that is already off keeps the time at which it was first switched off. */
export async function switchModel(tx: Queryable, id: string, state: RowState | null, now: Date): Promise<void> {
  await SWITCH_MODEL.run(tx, [id, state === null, now, state]);
}

const WRITE_FACTS = command(
  `update model set kind = $2, name = $3, name_fa = $4, context = $5, max_output = $6,
     hidden_tokens_per_second = $7, capabilities = $8::jsonb, categories = $9::jsonb, hedge = $10, managed_by = 'operator',
     updated_at = $11 where id = $1`,
);

export async function writeFacts(tx: Queryable, id: string, facts: Facts, now: Date): Promise<void> {
  await WRITE_FACTS.run(tx, [id, ...factValues(facts), now]);
}

const WRITE_DESCRIPTION = command(
  'update model set description_fa = $2, description_en = $3, updated_at = $4 where id = $1',
);

export async function writeDescription(
  tx: Queryable,
  id: string,
  { fa, en }: { fa: string | null; en: string | null },
  now: Date,
): Promise<void> {
  await WRITE_DESCRIPTION.run(tx, [id, fa, en, now]);
}

/** With nulls the model stays. */
export const SET_RETIREMENT = command(
  'update model set retires_at = $2, successor = $3, updated_at = $4 where id = $1',
);
export const DUE_FOR_RETIREMENT = statement(
  { id: column.text },
  `select id from model where retires_at <= $1 and enabled and managed_by <> 'config' order by id`,
);
export const DELETE_MODEL = command('delete from model where id = $1');

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
