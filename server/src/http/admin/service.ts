/** The service itself: its health, its books, its settings, and who changed what. */

import {
  changeSettings,
  getHealth,
  getRouteHealth,
  getSettings,
  getTrialBalance,
  listEvents,
  listSetAside,
  refreshCatalog,
  resetOperatorPassword,
} from '@dargah/api/admin/service.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { BodyOf, ResultOf } from '@dargah/api/describe-route.ts';
import type { CatalogAdmin } from '../../catalog/index.ts';
import { money, toTomanText } from '../../core/money.ts';
import { type Books, bookOfLine, type DeadLetter } from '../../ledger/index.ts';
import type { AuditLogList } from '../../lists/index.ts';
import { operatorReceipt } from '../../requestlog/index.ts';
import type { Router } from '../../routing/index.ts';
import type { Register } from '../routes/register.ts';
import { timeInput } from '../time-input.ts';
import { type ListOfStaff, listPage, totalOf } from './staff-list.ts';

export type HealthState = ResultOf<typeof getHealth>;
type SettingsInForce = ResultOf<typeof getSettings>;
export type SettingsChange = BodyOf<typeof changeSettings>;

export interface LiveSettings {
  view(): Promise<SettingsInForce>;
  change(patch: SettingsChange, actor: string): Promise<SettingsInForce>;
}

export function settings(register: Register, live: LiveSettings): void {
  register(getSettings, () => live.view());
  register(changeSettings, ({ body, actor }) => live.change(body, actor));
}

export function operatorPassword(register: Register, reset: (actor: string) => Promise<string>): void {
  register(resetOperatorPassword, async ({ actor }) => ({ operator_password: await reset(actor) }));
}

export function books(register: Register, ledger: Books): void {
  register(getTrialBalance, async () => {
    const books = await ledger.trialBalance();
    const sum = (side: 'debit' | 'credit') => toTomanText(money(books.reduce((total, one) => total + one[side], 0n)));
    return {
      object: 'trial_balance' as const,
      books: books.map(({ book, accounts, debit, credit }) => {
        const { code = null, class: kind = null } = bookOfLine(book) ?? {};
        return { book, code, class: kind, accounts, debit: toTomanText(debit), credit: toTomanText(credit) };
      }),
      debit: sum('debit'),
      credit: sum('credit'),
    };
  });
}

export function auditLog(register: Register, list: AuditLogList): ListOfStaff<typeof listEvents> {
  const entries: ListOfStaff<typeof listEvents> = {
    id: 'audit_log',
    route: listEvents,
    async read(query, { use }) {
      const { subject, actor, action, account_id: accountId, after, limit = 50 } = query;
      const times = { from: timeInput(query.from, 'from'), to: timeInput(query.to, 'to') };
      const filter = { subject, actor, action, accountId, ...times };
      const found = await list.page(filter, { after: after ?? null, limit, use });
      const total = use === 'job' ? null : await totalOf(after, (max) => list.count(filter, max));
      const data = found.rows.map((event) => ({ ...event, at: event.at.toISOString() }));
      return listPage(data, found, { total });
    },
    at: (row) => row.at,
    columns: {
      id: (row) => row.id,
      at: (row) => row.at,
      actor: (row) => row.actor,
      actor_name: (row) => row.actor_name,
      action: (row) => row.action,
      subject: (row) => row.subject,
      detail: (row) => JSON.stringify(row.detail),
    },
  };
  register(listEvents, ({ query, who }) => entries.read(query, { ...who, use: 'list' }));
  return entries;
}

/** Dead letters are rare and for a person to read, so they are not paged. */
export function deadLetterRoutes(register: Register, charges: () => Promise<DeadLetter[]>): void {
  register(listSetAside, async () =>
    page(
      (await charges()).map(({ id, createdAt, deadLetteredAt, reason, record }) => ({
        id: id ?? null,
        created_at: createdAt === undefined ? null : new Date(createdAt).toISOString(),
        set_aside_at: deadLetteredAt ?? null,
        reason: reason ?? null,
        receipt: record === undefined ? null : operatorReceipt(record),
      })),
    ),
  );
}

export function health(register: Register, router: Pick<Router, 'snapshot'>, state: () => HealthState): void {
  register(getHealth, async () => state());
  register(getRouteHealth, async () =>
    page(
      router.snapshot().map((one) => ({
        target: one.target,
        provider: one.provider,
        state: one.state,
        opens_in_ms: Math.ceil(one.openForMs),
        cause: one.cause ?? null,
        in_flight: one.inFlight,
        p50_ms: one.p50Ms ?? null,
        p95_ms: one.p95Ms ?? null,
        saturated: one.saturated,
      })),
    ),
  );
}

export function refresh(register: Register, catalog: CatalogAdmin): void {
  register(refreshCatalog, async ({ body, actor }) => {
    const { exchange_rate: rate, margin } = body;
    const terms =
      rate === undefined && margin === undefined
        ? undefined
        : {
            ...(rate !== undefined && { exchangeRate: String(rate) }),
            ...(margin !== undefined && { margin: String(margin) }),
          };
    const { changed, newPrices } = await catalog.refresh(actor, terms);
    return { changed, new_prices: newPrices };
  });
}
