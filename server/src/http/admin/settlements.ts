/** `/api/admin/settlements`: reconciliation with gateways and banks. */

import * as routes from '@dargah/api/admin/settlements.ts';
import { page } from '@dargah/api/building-blocks.ts';
import { DAY_MS } from '@dargah/core/time-spans.ts';
import * as accounting from '../../accounting/index.ts';
import type { Clock } from '../../core/clock.ts';
import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { type Money, parseToman, toTomanText } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import type { Payments } from '../../payments/index.ts';
import type { Queryable } from '../../platform/db/index.ts';
import type { Register } from '../routes/register.ts';
import { timeInput } from '../time-input.ts';

interface SettlementServices {
  settlements: accounting.Settlements;
  payments: Pick<Payments, 'gateways' | 'banks'>;
  db: Queryable;
  clock: Clock;
}

/** Younger orders may still be settled. */
const OVERDUE_MS = 3 * DAY_MS;

export function settlements(register: Register, services: SettlementServices): void {
  const { settlements: service, payments } = services;
  const one = async (id: string) => {
    const { settlement, sums } = await service.get(id);
    return view(settlement, sums);
  };
  readRoutes(register, services, one);
  register(routes.previewSettlementFile, async ({ body }) => {
    const { firstLines, gross, fee, ...preview } = service.preview({ text: body.text, columns: body.columns });
    const first = firstLines.map(({ externalId: _, ...line }) => ({
      ...line,
      gross: String(line.gross),
      fee: String(line.fee),
    }));
    return { object: 'settlement_preview' as const, ...preview, gross: String(gross), fee: String(fee), first };
  });
  register(routes.importSettlement, async ({ body, actor }) => {
    const source = await checkedSource(payments, body.kind, body.source);
    const paidAt = timeInput(body.paid_on, 'paid_on');
    const { id } = await service.import(
      {
        kind: body.kind,
        source,
        text: body.text,
        unit: body.unit,
        columns: body.columns,
        externalId: body.external_id,
        reference: body.reference,
        paidAt: paidAt === undefined ? undefined : new Date(paidAt),
        arrived: body.arrived === undefined ? undefined : BigInt(body.arrived),
      },
      actor,
    );
    return one(id);
  });
  register(routes.fetchSettlements, async ({ body, actor }) =>
    page((await service.fetch(body.gateway, actor)).map((settlement) => view(settlement))),
  );
  register(routes.rematchSettlement, async ({ params, actor }) => {
    await service.rematch(params.id, actor);
    return one(params.id);
  });
  register(routes.decideSettlementLine, async ({ params, body, actor }) => {
    await service.decide(params.id, Number(params.number), body.settles, actor);
    return one(params.id);
  });
  register(routes.discardSettlement, async ({ params, actor }) => {
    await service.discard(params.id, actor);
    return { id: params.id, deleted: true };
  });
  register(routes.bookSettlement, async ({ params, body, actor }) => {
    const rate = body.rate === undefined ? undefined : amountOf(body.rate, 'rate');
    const booking = {
      bank: body.bank,
      difference: signed(body.difference, 'difference'),
      unmatched: signed(body.unmatched, 'unmatched'),
      feeVat: amountOf(body.vat ?? 0, 'vat'),
      rate,
    };
    await service.book(params.id, booking, actor);
    return one(params.id);
  });
  register(routes.openGatewayBooks, async ({ body, actor }) => {
    const gateway = await checkedSource(payments, 'gateway', body.gateway);
    const sums = { arrived: amountOf(body.arrived, 'arrived'), fee: amountOf(body.fee, 'fee') };
    // This includes the whole of that day.
    const until = new Date(timeInput(body.until, 'until') + DAY_MS - 1);
    const { id } = await service.open({ gateway, bank: body.bank, ...sums, until }, actor);
    return one(id);
  });
}

function readRoutes(
  register: Register,
  { settlements: service, payments, db, clock }: SettlementServices,
  one: (id: string) => Promise<ReturnType<typeof view>>,
): void {
  register(routes.listSettlements, async ({ query }) => {
    const { kind, source, state, ...place } = query;
    const { items, next } = await service.list({ kind, source, state }, place);
    return page(
      items.map((settlement) => view(settlement)),
      next,
    );
  });
  register(routes.getSettlement, ({ params }) => one(params.id));
  register(routes.listSettlementLines, async ({ params, query }) => {
    const { list, after = '0', limit = 50 } = query;
    const lines = await service.lines(params.id, { list, after: Number(after), limit: limit + 1 });
    const shown = lines.slice(0, limit);
    return page(shown.map(lineView), lines.length > limit ? String(shown.at(-1)?.number) : null);
  });
  register(routes.listOpenOrders, async ({ query }) => {
    const { list, gateway, ...place } = query;
    const before = new Date(list === 'not-settled' ? clock.now() - OVERDUE_MS : clock.now());
    const { items, next } = await accounting.listOpenOrders(db, { list, gateway, before }, place);
    return page(items.map(orderView), next);
  });
  register(routes.getOpenItems, async () => {
    const sum = ({ count, amount }: accounting.OpenSum) => ({ count, amount: toTomanText(amount) });
    const all = await payments.gateways.available();
    const overdue = await accounting.ordersNotSettled(db, new Date(clock.now() - OVERDUE_MS));
    return {
      object: 'open_items' as const,
      settlements: sum(await accounting.unbookedSettlements(db)),
      unmatched: sum(await accounting.unmatchedMoney(db)),
      undocumented: sum(await accounting.undocumentedCredit(db)),
      receipts_not_seen: sum(await accounting.receiptsNotSeen(db)),
      not_settled: overdue.map(({ gateway, ...open }) => ({ gateway, ...sum(open) })),
      columns: await service.columns(),
      fetched: all.filter((gateway) => gateway.settlements !== undefined).map(({ id }) => id),
    };
  });
}

async function checkedSource(
  { gateways, banks }: SettlementServices['payments'],
  kind: 'gateway' | 'bank',
  source: string,
): Promise<string> {
  if (kind === 'bank') return banks.find(source);
  const known = (await gateways.list()).some(({ id }) => id === source && id !== 'gift-code' && id !== 'bank-transfer');
  if (!known) throw invalidRequest('source', reasons.mustBe('source', expected.offeredGateway));
  return source;
}

function signed(value: string | number, field: string): Money {
  const amount = parseToman(value);
  if (amount === undefined) throw invalidRequest(field, reasons.mustBe(field, expected.tomanFromZero));
  return amount;
}

function amountOf(value: string | number, field: string): Money {
  const amount = signed(value, field);
  if (amount < 0n) throw invalidRequest(field, reasons.mustBe(field, expected.tomanFromZero));
  return amount;
}

function view(settlement: accounting.StoredSettlement, sums?: accounting.SettlementSums) {
  return {
    object: 'settlement' as const,
    id: settlement.id,
    kind: settlement.kind,
    source: settlement.source,
    external_id: settlement.externalId,
    paid_at: settlement.paidAt.toISOString(),
    reference: settlement.reference,
    unit: settlement.unit,
    units: String(settlement.units),
    has_lines: settlement.hasLines,
    state: settlement.state,
    lines: settlement.lines,
    open_lines: settlement.openLines,
    document_id: settlement.documentId,
    bank: settlement.bank,
    booked_by: settlement.bookedBy,
    booked_at: settlement.bookedAt?.toISOString() ?? null,
    created_by: settlement.createdBy,
    created_at: settlement.createdAt.toISOString(),
    sums: sums === undefined ? null : sumsView(sums),
  };
}

function sumsView({ ours, unmatched, arrived, fee, difference }: accounting.SettlementSums) {
  return {
    ours: toTomanText(ours),
    unmatched: toTomanText(unmatched),
    arrived: toTomanText(arrived),
    fee: toTomanText(fee),
    difference: toTomanText(difference),
  };
}

function lineView(line: accounting.StoredLine) {
  return {
    object: 'settlement_line' as const,
    number: line.number,
    kind: line.kind,
    reference: line.reference,
    external_id: line.externalId,
    day: line.day,
    text: line.text,
    gross: String(line.gross),
    fee: String(line.fee),
    match: line.match,
    problem: line.problem,
    settles: line.settles,
    order_id: line.orderId,
    ours: line.ours === null ? null : toTomanText(line.ours),
  };
}

function orderView({ id, gateway, accountId, reference, amount, createdAt }: accounting.OpenOrder) {
  return {
    object: 'open_order' as const,
    id,
    gateway,
    account_id: accountId,
    reference,
    amount: toTomanText(amount),
    created_at: createdAt.toISOString(),
  };
}
