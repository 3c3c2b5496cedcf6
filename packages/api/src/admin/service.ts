/** The service itself, described: its health, its books, its settings, and who changed what. */

import { AUDIT_LOG_ACTS } from '@dargah/core/admin-acts.ts';
import { LIVE_SETTING_FIELDS, RETENTION_FIELDS } from '@dargah/core/fields/index.ts';
import Type from 'typebox';
import { MONEY_READ, STAFF_READ, scoped, staff } from '../access.ts';
import {
  AnyJson,
  inputObject,
  listOf,
  nullable,
  PAGE_QUERY,
  pageOf,
  responseObject,
  Time,
  Toman,
} from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { alwaysShown, inputFields } from '../field-schema.ts';
import { AUDIT_LOG_ENTRY } from '../schemas/audit-log-schema.ts';

const tag = 'Service';
const SettingsSchema = responseObject(
  {
    object: Type.Literal('settings'),
    ...alwaysShown(LIVE_SETTING_FIELDS),
    ...alwaysShown(RETENTION_FIELDS),
    exchange_rate: Type.String({ description: 'Toman per US dollar, as it applies now.' }),
    margin: Type.String(),
    sources: Type.Record(Type.String(), Type.String(), {
      description: 'Where each value comes from: `default`, `file` or `database`.',
    }),
    limits: Type.Record(Type.String(), AnyJson, {
      description: 'Everything else, as it applies; changed in the file.',
    }),
    retention: responseObject({
      request_log_days: Type.Integer({
        description: '`settings.log_retention_days` of the file; whole days are dropped.',
      }),
      idempotency_ms: Type.Integer({ description: '`settings.idempotency_keep_ms`.' }),
      stored_responses_ms: Type.Integer({ description: '`settings.response_store_keep_ms`; 0: none are stored.' }),
      prompt_log_max_days: Type.Integer({ description: '`settings.prompt_log_max_days`; accounts choose less.' }),
      uptime_days: Type.Integer({
        description: '`settings.uptime_history_days`; the hourly counts of the status page.',
      }),
    }),
    fixed_by_file: Type.Array(Type.String()),
  },
  'Settings',
);
const AuditSchema = responseObject(
  {
    ok: Type.Boolean(),
    at: nullable({ ...Time, description: 'When that proof ended; null: none has ended yet.' }),
    checks: Type.Array(
      responseObject({ id: Type.String(), name: Type.String(), ok: Type.Boolean(), detail: Type.String() }),
    ),
  },
  'AuditReport',
);
const EventSchema = responseObject(AUDIT_LOG_ENTRY, 'AdminEvent');
const DeadLetterSchema = responseObject(
  {
    id: nullable(Type.String({ description: 'Of the request; null when the disk has damaged the line.' })),
    created_at: nullable(Time),
    set_aside_at: nullable(Time),
    reason: nullable(Type.String({ description: "The database's own words." })),
    receipt: nullable(
      Type.Record(Type.String(), AnyJson, {
        description: 'As for every request; null for the line of another build, which only that build can read.',
      }),
    ),
  },
  'SetAsideCharge',
);
const RouteHealth = responseObject(
  {
    target: Type.String(),
    provider: Type.String(),
    state: Type.String(),
    opens_in_ms: Type.Integer(),
    cause: nullable(Type.String()),
    in_flight: Type.Integer(),
    p50_ms: nullable(Type.Number()),
    p95_ms: nullable(Type.Number()),
    saturated: Type.Boolean(),
  },
  'RouteHealth',
);
const HealthSchema = responseObject(
  {
    object: Type.Literal('health'),
    version: Type.String(),
    schema: Type.Integer({ description: 'The newest migration that the database had when this process started.' }),
    draining: Type.Boolean({ description: 'Nothing new is accepted any more.' }),
    overloaded: Type.Boolean(),
    running_requests: Type.Integer(),
    database: Type.Enum(['ok', 'unreachable']),
    database_kind: Type.Enum(['embedded', 'postgres']),
    admission: responseObject({
      mode: Type.Enum(['memory', 'redis', 'degraded']),
      since: Type.Optional(Type.Number({ description: 'When the degraded mode began, in milliseconds since 1970.' })),
      replicas: Type.Integer(),
    }),
    journal: responseObject({
      depth: Type.Integer({ description: 'Charges that are not in the database yet.' }),
      accepting: Type.Boolean(),
      writing: Type.Boolean(),
      bytes: Type.Integer(),
      segments: Type.Integer(),
      set_aside: Type.Integer({ description: 'Charges that the database cannot take; they wait for a person.' }),
    }),
    poster: responseObject({ posted: Type.Integer(), consecutive_failures: Type.Integer() }),
    upstream: responseObject({ running: Type.Integer(), connected: Type.Integer(), queued: Type.Integer() }),
  },
  'ServiceHealth',
);
const Decimal = Type.Union([Type.String({ maxLength: 32 }), Type.Number()]);
const WRITE = staff('owner');

export const getSettings = describeRoute({
  method: 'GET',
  path: '/api/admin/settings',
  operationId: 'getSettings',
  tag,
  summary: { fa: 'تنظیمات', en: 'Settings in force' },
  result: SettingsSchema,
  access: STAFF_READ,
});

export const changeSettings = describeRoute({
  method: 'PATCH',
  path: '/api/admin/settings',
  operationId: 'changeSettings',
  tag,
  summary: { fa: 'تغییر تنظیمات', en: 'Change settings, on every replica' },
  body: inputObject({ ...inputFields(LIVE_SETTING_FIELDS), ...inputFields(RETENTION_FIELDS) }, 'SettingsChange'),
  result: SettingsSchema,
  errors: ['conflict'],
  example: { wallet_minimum: 1000 },
  // A fresh proof is asked: whoever may switch off the second factor of staff or shorten the audit log could cover their tracks.
  access: { ...WRITE, freshProof: true },
});

export const resetOperatorPassword = describeRoute({
  method: 'POST',
  path: '/api/admin/operators/reset-password',
  operationId: 'resetOperatorPassword',
  tag,
  summary: {
    fa: 'رمز عبور جدید برای مدیر سرویس',
    en: 'A new operator password, shown once; the old one stops working',
  },
  result: responseObject({ operator_password: Type.String() }, 'OperatorPassword'),
  access: WRITE,
});

export const auditBooks = describeRoute({
  method: 'GET',
  path: '/api/admin/audit',
  operationId: 'auditBooks',
  tag,
  summary: { fa: 'نتیجهٔ آخرین کنترل دفترها', en: 'What the last proof of the books found' },
  description:
    'Proves nothing by itself: `POST /api/admin/proofs` does. 200 also when they do not balance: `ok` says it, and each check says what it found. Gone in the next version; `GET /api/admin/proofs` has more.',
  result: AuditSchema,
  access: MONEY_READ,
});

export const getTrialBalance = describeRoute({
  method: 'GET',
  path: '/api/admin/trial-balance',
  operationId: 'getTrialBalance',
  tag,
  summary: { fa: 'تراز آزمایشی', en: 'Trial balance: what every book holds' },
  description:
    'By the chart of accounts. All wallets are one line, and all providers; each gateway and bank account has its own. The sum of debits is the sum of credits.',
  result: responseObject(
    {
      object: Type.Literal('trial_balance'),
      books: Type.Array(
        responseObject({
          book: Type.String(),
          code: nullable(Type.String({ description: 'Of the chart of accounts, by which the lines are ordered.' })),
          class: nullable(Type.Enum(['asset', 'liability', 'equity', 'income', 'expense', 'legacy'])),
          accounts: Type.Integer(),
          debit: Toman,
          credit: Toman,
        }),
      ),
      debit: Toman,
      credit: Toman,
    },
    'TrialBalance',
  ),
  access: MONEY_READ,
});

export const listSetAside = describeRoute({
  method: 'GET',
  path: '/api/admin/charges/set-aside',
  operationId: 'listChargesSetAside',
  tag,
  summary: {
    fa: 'هزینه‌هایی که پایگاه داده نپذیرفت',
    en: 'Charges that the database cannot take, of this replica: they stay in its journal for a person to look at',
  },
  result: pageOf(DeadLetterSchema),
  access: STAFF_READ,
});

export const listEvents = describeRoute({
  method: 'GET',
  path: '/api/admin/events',
  operationId: 'listAdminEvents',
  tag,
  summary: { fa: 'چه کسی چه چیزی را تغییر داد', en: 'Who changed what, newest first' },
  query: inputObject({
    subject: Type.Optional(Type.String({ maxLength: 256 })),
    actor: Type.Optional(Type.String({ maxLength: 128, description: 'As in the entries: `staff:per_…`, `operator`.' })),
    action: Type.Optional(Type.Enum([...AUDIT_LOG_ACTS])),
    account_id: Type.Optional(
      Type.String({ maxLength: 64, description: 'What concerns this account: itself, its keys, its members.' }),
    ),
    from: Type.Optional(Type.String({ maxLength: 40, description: 'RFC 3339 or a day; included.' })),
    to: Type.Optional(Type.String({ maxLength: 40, description: 'Not included.' })),
    ...PAGE_QUERY,
  }),
  result: listOf(EventSchema),
  access: STAFF_READ,
});

export const getHealth = describeRoute({
  method: 'GET',
  path: '/api/admin/health',
  operationId: 'getHealth',
  tag,
  summary: { fa: 'سلامت سیستم', en: 'Database, limits, journal and running requests of this replica' },
  result: HealthSchema,
  access: STAFF_READ,
});

export const getRouteHealth = describeRoute({
  method: 'GET',
  path: '/api/admin/routes/health',
  operationId: 'getRouteHealth',
  tag,
  summary: { fa: 'سلامت مسیرها', en: 'Every route that was used: circuit, load, latency' },
  result: pageOf(RouteHealth),
  access: STAFF_READ,
});

export const refreshCatalog = describeRoute({
  method: 'POST',
  path: '/api/admin/catalog/refresh',
  operationId: 'refreshCatalog',
  tag: 'Models',
  summary: { fa: 'به‌روزرسانی فهرست و قیمت‌ها', en: 'List and price everything anew' },
  description: 'With `exchange_rate` or `margin`, by these from now on; new prices are new versions.',
  body: inputObject({ exchange_rate: Type.Optional(Decimal), margin: Type.Optional(Decimal) }, 'CatalogRefresh'),
  result: responseObject({ changed: Type.Boolean(), new_prices: Type.Integer() }, 'RefreshResult'),
  errors: ['conflict'],
  example: { exchange_rate: 105_000, margin: '0.12' },
  access: scoped('catalog', staff('owner', 'finance')),
});
