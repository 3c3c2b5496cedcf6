/**
 * Budgets over several keys of an account: caps that all of them spend from together. Admission asks them beside the caps of the
 * key and of the account, in the same atomic take. A budget counts what its keys spend while they belong to it.
 */
import { CAP_FIELDS } from '@dargah/core/fields/index.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { reasons } from '../core/reasons.ts';
import { createChangeRecorder, difference } from '../platform/audit-log.ts';
import { tellChange } from '../platform/changes.ts';
import { type Database, lockUntilCommit, type Queryable } from '../platform/db/index.ts';
import type { SharedBudgetRow } from './budget-rows.ts';
import * as rows from './budget-rows.ts';
import { checkName, noSuch } from './checked-values.ts';
import { objectInput, readValues, renderValues, unrestricted } from './field-values.ts';
import { readObject } from './read-field.ts';
import { keyReasons } from './reasons.ts';
import type { AccountRules, BudgetOfKeys } from './rules.ts';

/** One page of budgets is enough for every account. */
const MAX_BUDGETS = 50;
const MAX_KEYS_OF_BUDGET = 200;
/** Each adds its counters to every request of the key. */
const MAX_BUDGETS_OF_KEY = 3;

export interface SharedBudget extends BudgetOfKeys {
  keyIds: string[];
  createdAt: Date;
  updatedAt: Date;
}

export interface BudgetInput {
  name?: string;
  keyIds?: readonly string[];
  caps?: Json;
}

export interface SharedBudgets {
  list(accountId: string): Promise<SharedBudget[]>;
  create(accountId: string, input: BudgetInput & { name: string }, actor: string): Promise<SharedBudget>;
  /** Only the given fields change; a period of the caps that is absent keeps its cap. */
  update(accountId: string, id: string, input: BudgetInput, actor: string): Promise<SharedBudget>;
  remove(accountId: string, id: string, actor: string): Promise<void>;
}

const NO_CAPS: AccountRules['caps'] = unrestricted(CAP_FIELDS);

export function createSharedBudgets(options: { db: Database; clock: Clock; randomBytes: RandomBytes }): SharedBudgets {
  const { db, clock, randomBytes } = options;
  // Snapshots of keys have their budgets, and are read again when their account changes.
  const changed = createChangeRecorder(options, 'account');

  /** Those of an account take turns, so that bounds hold for many changes at once. */
  const change = <T>(accountId: string, work: (tx: Queryable) => Promise<T>): Promise<T> =>
    db.transaction(async (tx) => {
      await lockUntilCommit(tx, `shared budgets of ${accountId}`);
      const result = await work(tx);
      await tellChange(db, tx, accountId, { what: 'keys', id: '' });
      return result;
    });
  const trace = (tx: Queryable, accountId: string, actor: string, before?: SharedBudget, after?: SharedBudget) =>
    changed(tx, actor, 'account.update', accountId, difference(traced(before), traced(after)));

  async function write(tx: Queryable, accountId: string, budget: SharedBudget): Promise<SharedBudget> {
    const { id, name, caps, keyIds, createdAt, updatedAt } = budget;
    await rows.WRITE_BUDGET.run(tx, [id, accountId, name, renderValues(CAP_FIELDS, caps), createdAt, updatedAt]);
    await rows.TAKE_KEYS_OUT.run(tx, [id, keyIds]);
    await rows.PUT_KEYS_IN.run(tx, [id, keyIds]);
    await refuseTooManyOfKey(tx, keyIds);
    return budget;
  }

  return {
    async list(accountId) {
      return (await rows.SHARED_BUDGETS.rows(db, [accountId])).map(toBudget);
    },
    create: (accountId, input, actor) =>
      change(accountId, async (tx) => {
        const present = await rows.PRESENT_BUDGETS.rows(tx, [accountId]);
        if (present.length >= MAX_BUDGETS) throw new GatewayError('conflict', { reason: keyReasons.tooManyBudgets });
        const now = new Date(clock.now());
        const made = await write(tx, accountId, {
          id: makeId('bud', now.getTime(), randomBytes),
          name: checkName(input.name),
          keyIds: await checkedKeys(tx, accountId, input.keyIds ?? []),
          caps: parseCaps(input.caps, NO_CAPS),
          createdAt: now,
          updatedAt: now,
        });
        await trace(tx, accountId, actor, undefined, made);
        return made;
      }),
    update: (accountId, id, input, actor) =>
      change(accountId, async (tx) => {
        const before = await selectBudget(tx, accountId, id);
        const made = await write(tx, accountId, {
          ...before,
          name: input.name === undefined ? before.name : checkName(input.name),
          keyIds: input.keyIds === undefined ? before.keyIds : await checkedKeys(tx, accountId, input.keyIds),
          caps: parseCaps(input.caps, before.caps),
          updatedAt: new Date(clock.now()),
        });
        await trace(tx, accountId, actor, before, made);
        return made;
      }),
    remove: (accountId, id, actor) =>
      change(accountId, async (tx) => {
        const before = await selectBudget(tx, accountId, id);
        await rows.DELETE_BUDGET.run(tx, [id]);
        await trace(tx, accountId, actor, before);
      }),
  };
}

/** The budgets of a key, as the statement that finds it gathers them. */
export function readStoredBudgets(stored: Json): BudgetOfKeys[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter(isJsonObject).map(({ id, name, caps }) => ({
    id: String(id),
    name: String(name),
    caps: readStoredCaps(caps ?? null),
  }));
}

export function renderBudgetCaps(caps: AccountRules['caps']) {
  return renderValues(CAP_FIELDS, caps);
}

function readStoredCaps(stored: Json): AccountRules['caps'] {
  return readValues(CAP_FIELDS, readObject(stored, 'caps'), NO_CAPS, 'caps');
}

function parseCaps(input: Json | undefined, present: AccountRules['caps']): AccountRules['caps'] {
  return readValues(CAP_FIELDS, objectInput(input, CAP_FIELDS, 'caps'), present, 'caps');
}

async function selectBudget(tx: Queryable, accountId: string, id: string): Promise<SharedBudget> {
  const row = await rows.BUDGET_BY_ID.first(tx, [accountId, id]);
  return row ? toBudget(row) : noSuch('budget', id);
}

/** Accepts only keys of the account, each once. */
async function checkedKeys(tx: Queryable, accountId: string, keyIds: readonly string[]): Promise<string[]> {
  const ids = [...new Set(keyIds)].sort();
  if (ids.length > MAX_KEYS_OF_BUDGET) throw invalidRequest('key_ids', reasons.tooLong('key_ids', MAX_KEYS_OF_BUDGET));
  const found = await rows.KEYS_OF_ACCOUNT_AMONG.rows(tx, [accountId, ids]);
  const own = new Set(found.map(({ id }) => id));
  const foreign = ids.find((id) => !own.has(id));
  if (foreign !== undefined) throw invalidRequest('key_ids', keyReasons.noSuchKey(foreign));
  return ids;
}

async function refuseTooManyOfKey(tx: Queryable, keyIds: readonly string[]): Promise<void> {
  const row = await rows.KEY_IN_TOO_MANY.first(tx, [keyIds, MAX_BUDGETS_OF_KEY]);
  if (row) throw invalidRequest('key_ids', keyReasons.tooManyBudgetsOfKey(row.key_id));
}

function toBudget(row: SharedBudgetRow): SharedBudget {
  const { id, name, key_ids: keyIds, created_at: createdAt, updated_at: updatedAt } = row;
  return { id, name, caps: readStoredCaps(row.caps), keyIds: keyIds ?? [], createdAt, updatedAt };
}

function traced(budget: SharedBudget | undefined): JsonObject {
  if (!budget) return {};
  const { id, name, keyIds, caps } = budget;
  return { budget: { id, name, keys: keyIds.join(' '), caps: renderValues(CAP_FIELDS, caps) } };
}
