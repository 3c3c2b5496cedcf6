/** `/api/console/budgets`: caps that several keys of the account spend from together. */
import { changeBudget, createBudget, listBudgets, removeBudget } from '@dargah/api/console/budgets.ts';
import type { ResultOf } from '@dargah/api/describe-route.ts';
import type { AccountService } from '../../accounts/index.ts';
import type { Json } from '../../core/json.ts';
import { type Calendar, renderBudgetCaps, type SharedBudget, type SharedBudgets } from '../../keys/index.ts';
import type { Register } from '../routes/register.ts';
import type { Spending } from '../spending.ts';

export interface BudgetServices {
  accounts: AccountService;
  budgets: SharedBudgets;
  spending: Spending;
}

export function budgetRoutes(register: Register, { accounts, budgets, spending }: BudgetServices): void {
  const view = async (
    accountId: string,
    budget: SharedBudget,
    calendar: Calendar,
  ): Promise<ResultOf<typeof changeBudget>> => ({
    object: 'budget',
    id: budget.id,
    name: budget.name,
    key_ids: budget.keyIds,
    caps: renderBudgetCaps(budget.caps),
    spend: await spending.periods(accountId, 'budget', budget.id, budget.caps, calendar),
    created_at: budget.createdAt.toISOString(),
    updated_at: budget.updatedAt.toISOString(),
  });
  const calendarOf = async (accountId: string) => (await accounts.get(accountId)).calendar;
  register(listBudgets, async ({ who: { accountId } }) => {
    const calendar = await calendarOf(accountId);
    const found = await budgets.list(accountId);
    return { object: 'list', data: await Promise.all(found.map((budget) => view(accountId, budget, calendar))) };
  });
  register(createBudget, async ({ who: { accountId }, body, actor }) => {
    const made = await budgets.create(accountId, inputOf({ ...body, name: body.name }), actor);
    return view(accountId, made, await calendarOf(accountId));
  });
  register(changeBudget, async ({ who: { accountId }, params, body, actor }) =>
    view(accountId, await budgets.update(accountId, params.id, inputOf(body), actor), await calendarOf(accountId)),
  );
  register(removeBudget, async ({ who: { accountId }, params, actor }) => {
    await budgets.remove(accountId, params.id, actor);
    return { done: true };
  });
}

function inputOf<Body extends { name?: string; key_ids?: string[]; caps?: unknown }>({ name, key_ids, caps }: Body) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(key_ids === undefined ? {} : { keyIds: key_ids }),
    ...(caps === undefined ? {} : { caps: caps as Json }),
  } as Pick<Body, 'name'> & { keyIds?: string[]; caps?: Json };
}
