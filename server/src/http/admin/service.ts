/** The service itself: its health, its books, its settings, and who changed what. */
import type { CatalogAdmin } from '../../catalog/index.ts';
import type { JsonObject } from '../../core/json.ts';
import { money, toTomanText } from '../../core/money.ts';
import { refuseCursor } from '../../keys/index.ts';
import type { Books, DeadLetter } from '../../ledger/index.ts';
import { listAuditLog } from '../../platform/audit-log.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { startOfPage } from '../../platform/db/pages.ts';
import { operatorReceipt } from '../../requestlog/index.ts';
import type { Router } from '../../routing/index.ts';
import { page } from '../openapi/building-blocks.ts';
import type { BodyOf } from '../routes/describe-route.ts';
import type { Register } from '../routes/register.ts';
import {
  auditBooks,
  changeSettings,
  getHealth,
  getRouteHealth,
  getSettings,
  getTrialBalance,
  listEvents,
  listSetAside,
  refreshCatalog,
  resetOperatorPassword,
} from './routes/service.ts';

export type SettingsChange = BodyOf<typeof changeSettings>;

export interface LiveSettings {
  view(): Promise<JsonObject>;
  change(patch: SettingsChange, actor: string): Promise<JsonObject>;
}

export function settings(register: Register, live: LiveSettings): void {
  register(getSettings, () => live.view());
  register(changeSettings, ({ body, actor }) => live.change(body, actor));
}

export function operatorPassword(register: Register, reset: (actor: string) => Promise<string>): void {
  register(resetOperatorPassword, async ({ actor }) => ({ operator_password: await reset(actor) }));
}

export function books(register: Register, ledger: Books, db: Queryable): void {
  register(auditBooks, () => ledger.audit());
  register(getTrialBalance, async () => {
    const books = await ledger.trialBalance();
    const sum = (side: 'debit' | 'credit') => toTomanText(money(books.reduce((total, one) => total + one[side], 0n)));
    return {
      object: 'trial_balance' as const,
      books: books.map(({ book, accounts, debit, credit }) => {
        return { book, accounts, debit: toTomanText(debit), credit: toTomanText(credit) };
      }),
      debit: sum('debit'),
      credit: sum('credit'),
    };
  });
  register(listEvents, async ({ query }) => {
    const { items, next } = await listAuditLog(db, startOfPage(query) ?? refuseCursor(), query.subject);
    return page(
      items.map((event) => ({ ...event, at: event.at.toISOString() })),
      next,
    );
  });
}

/** Rare and for a person to read: not paged. */
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

export function health(register: Register, router: Pick<Router, 'snapshot'>, state: () => JsonObject): void {
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
