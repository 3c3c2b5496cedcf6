/** The service itself: its health, its books, its settings, and who changed what. */
import Type from 'typebox';
import type { CatalogAdmin } from '../../catalog/index.ts';
import type { JsonObject } from '../../core/json.ts';
import { refuseCursor } from '../../keys/index.ts';
import type { Books } from '../../ledger/index.ts';
import { listAdminEvents } from '../../platform/admin-trail.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { startOfPage } from '../../platform/db/pages.ts';
import type { Router } from '../../routing/index.ts';
import {
  AnyJson,
  closed,
  GivenToman,
  nullable,
  PAGE_QUERY,
  page,
  pageOf,
  shown,
  Time,
  Toman,
} from '../openapi/building-blocks.ts';
import type { RegisterOperatorRoute } from './operator-routes.ts';

const tag = 'Service';

export interface SettingsChange {
  wallet_minimum?: string | number;
  charge_interrupted?: boolean;
}

export interface LiveSettings {
  view(): Promise<JsonObject>;
  change(patch: SettingsChange, actor: string): Promise<JsonObject>;
}

const SettingsShape = shown(
  {
    object: Type.Literal('settings'),
    wallet_minimum: Toman,
    charge_interrupted: Type.Boolean(),
    exchange_rate: nullable(
      Type.String({ description: 'Stored by a refresh; null: the file or the default applies.' }),
    ),
    margin: nullable(Type.String()),
    fixed_by_file: Type.Array(Type.String()),
  },
  'Settings',
);

export function settings(register: RegisterOperatorRoute, live: LiveSettings): void {
  register({
    method: 'GET',
    path: '/api/admin/settings',
    operationId: 'getSettings',
    tag,
    summary: { fa: 'تنظیمات', en: 'Settings in force' },
    result: SettingsShape,
    run: () => live.view(),
  });
  register({
    method: 'PATCH',
    path: '/api/admin/settings',
    operationId: 'changeSettings',
    tag,
    summary: { fa: 'تغییر تنظیمات', en: 'Change settings, on every replica' },
    body: closed(
      { wallet_minimum: Type.Optional(GivenToman), charge_interrupted: Type.Optional(Type.Boolean()) },
      'SettingsChange',
    ),
    result: SettingsShape,
    errors: ['conflict'],
    example: { wallet_minimum: 1000 },
    run: ({ body, actor }) => live.change(body, actor),
  });
}

const AuditShape = shown(
  {
    ok: Type.Boolean(),
    checks: Type.Array(shown({ name: Type.String(), ok: Type.Boolean(), detail: Type.String() })),
  },
  'AuditReport',
);
const EventShape = shown(
  {
    id: Type.String(),
    at: Time,
    actor: Type.String(),
    action: Type.String(),
    subject: Type.String(),
    detail: AnyJson,
  },
  'AdminEvent',
);

export function books(register: RegisterOperatorRoute, ledger: Books, db: Queryable): void {
  register({
    method: 'GET',
    path: '/api/admin/audit',
    operationId: 'auditBooks',
    tag,
    summary: { fa: 'اثبات درستی دفترها', en: 'Prove the books' },
    description: '200 also when they do not balance: `ok` says it, and each check says what it found.',
    result: AuditShape,
    run: () => ledger.audit(),
  });
  register({
    method: 'GET',
    path: '/api/admin/events',
    operationId: 'listAdminEvents',
    tag,
    summary: { fa: 'چه کسی چه چیزی را تغییر داد', en: 'Who changed what, newest first' },
    query: closed({ subject: Type.Optional(Type.String({ maxLength: 256 })), ...PAGE_QUERY }),
    result: pageOf(EventShape),
    run: async ({ query }) => {
      const { items, next } = await listAdminEvents(db, startOfPage(query) ?? refuseCursor(), query.subject);
      return page(
        items.map((event) => ({ ...event, at: event.at.toISOString() })),
        next,
      );
    },
  });
}

const RouteHealth = shown(
  {
    target: Type.String(),
    provider: Type.String(),
    state: Type.String(),
    opens_in_ms: Type.Number(),
    cause: nullable(Type.String()),
    in_flight: Type.Integer(),
    p50_ms: nullable(Type.Number()),
    p95_ms: nullable(Type.Number()),
    saturated: Type.Boolean(),
  },
  'RouteHealth',
);
const HealthShape = Type.Record(Type.String(), AnyJson, { title: 'ServiceHealth' });

export function health(
  register: RegisterOperatorRoute,
  router: Pick<Router, 'snapshot'>,
  state: () => JsonObject,
): void {
  register({
    method: 'GET',
    path: '/api/admin/health',
    operationId: 'getHealth',
    tag,
    summary: { fa: 'سلامت سامانه', en: 'Database, limits, journal and running requests of this replica' },
    result: HealthShape,
    run: async () => state(),
  });
  register({
    method: 'GET',
    path: '/api/admin/routes/health',
    operationId: 'getRouteHealth',
    tag,
    summary: { fa: 'سلامت مسیرها', en: 'Every route that was used: circuit, load, latency' },
    result: pageOf(RouteHealth),
    run: async () =>
      page(
        router.snapshot().map((one) => ({
          target: one.target,
          provider: one.provider,
          state: one.state,
          opens_in_ms: one.opensInMs,
          cause: one.cause ?? null,
          in_flight: one.inFlight,
          p50_ms: one.p50Ms ?? null,
          p95_ms: one.p95Ms ?? null,
          saturated: one.saturated,
        })),
      ),
  });
}

const Decimal = Type.Union([Type.String({ maxLength: 32 }), Type.Number()]);

export function refresh(register: RegisterOperatorRoute, catalog: CatalogAdmin): void {
  register({
    method: 'POST',
    path: '/api/admin/catalog/refresh',
    operationId: 'refreshCatalog',
    tag: 'Models',
    summary: { fa: 'تازه‌کردن فهرست و قیمت‌ها', en: 'List and price everything anew' },
    description: 'With `exchange_rate` and `margin` (both), by these from now on; new prices are new versions.',
    body: closed({ exchange_rate: Type.Optional(Decimal), margin: Type.Optional(Decimal) }, 'CatalogRefresh'),
    result: shown({ changed: Type.Boolean(), new_prices: Type.Integer() }, 'RefreshResult'),
    errors: ['conflict'],
    example: { exchange_rate: 105_000, margin: '0.12' },
    run: async ({ body, actor }) => {
      const { exchange_rate: rate, margin } = body;
      const terms =
        rate === undefined && margin === undefined
          ? undefined
          : { exchangeRate: String(rate ?? ''), margin: String(margin ?? '') };
      const { changed, newPrices } = await catalog.refresh(actor, terms);
      return { changed, new_prices: newPrices };
    },
  });
}
