/** `/api/admin/bills` and `/api/admin/undocumented`. */

import * as routes from '@dargah/api/admin/bills.ts';
import { page } from '@dargah/api/building-blocks.ts';
import * as accounting from '../../accounting/index.ts';
import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { type Money, parseToman, toTomanText } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import { parseDayInput } from '../../keys/index.ts';
import type { Queryable } from '../../platform/db/index.ts';
import type { Register } from '../routes/register.ts';

interface BillServices {
  bills: accounting.Bills;
  db: Queryable;
}

export function bills(register: Register, { bills: service, db }: BillServices): void {
  register(routes.listBills, async ({ query }) => {
    const { provider, state, ...place } = query;
    const { items, next } = await service.list({ provider, state }, place);
    return page(items.map(view), next);
  });
  register(routes.getAccrued, async ({ query }) => {
    const days = [dayOf(query.first_day, 'first_day'), dayOf(query.last_day, 'last_day')] as const;
    return { object: 'accrued_costs' as const, amount: toTomanText(await service.accrued(query.provider, ...days)) };
  });
  register(routes.enterBill, async ({ body, actor }) => {
    const bill = {
      provider: body.provider,
      number: body.number,
      datedOn: dayOf(body.dated_on, 'dated_on'),
      firstDay: dayOf(body.first_day, 'first_day'),
      lastDay: dayOf(body.last_day, 'last_day'),
      unit: body.currency,
      units: body.units,
      amount: amountOf(body.amount, 'amount'),
      note: body.note ?? null,
    };
    return view(await service.enter(bill, actor));
  });
  register(routes.payBill, async ({ params, body, actor }) => {
    if (body.currency !== undefined && body.units === undefined)
      throw invalidRequest('units', reasons.required('units'));
    const payment = {
      bank: body.bank,
      currency: body.currency,
      units: body.units,
      cost: amountOf(body.cost, 'cost'),
      fee: amountOf(body.fee ?? 0, 'fee'),
      number: body.number,
      datedOn: body.dated_on === undefined ? undefined : dayOf(body.dated_on, 'dated_on'),
    };
    return view(await service.pay(params.id, payment, actor));
  });
  register(routes.listUndocumented, async ({ query }) => {
    const { items, next } = await accounting.listUndocumented(db, query);
    return page(
      items.map((entry) => ({
        object: 'undocumented_entry' as const,
        id: entry.id,
        account_id: entry.accountId,
        amount: toTomanText(entry.amount),
        note: entry.note,
        actor: entry.actor,
        actor_name: entry.actorName,
        created_at: entry.createdAt.toISOString(),
      })),
      next,
    );
  });
}

function dayOf(text: string, field: string): string {
  const day = parseDayInput(text);
  if (day === undefined) throw invalidRequest(field, reasons.mustBeDate(field));
  return day;
}

function amountOf(value: string | number, field: string): Money {
  const amount = parseToman(value);
  if (amount === undefined || amount < 0n) throw invalidRequest(field, reasons.mustBe(field, expected.tomanFromZero));
  return amount;
}

function view(bill: accounting.ProviderBill) {
  const { amount, accrued } = bill;
  return {
    object: 'provider_bill' as const,
    id: bill.id,
    provider: bill.provider,
    number: bill.number,
    dated_on: bill.datedOn,
    first_day: bill.firstDay,
    last_day: bill.lastDay,
    unit: bill.unit,
    units: bill.units,
    amount: toTomanText(amount),
    accrued: toTomanText(accrued),
    off_percent: accrued === 0n ? null : Number(((amount - accrued) * 10_000n) / accrued) / 100,
    state: bill.state,
    payment_id: bill.paymentId,
    paid_at: bill.paidAt?.toISOString() ?? null,
    note: bill.note,
    created_by: bill.createdBy,
    created_at: bill.createdAt.toISOString(),
  };
}
