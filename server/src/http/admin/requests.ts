/** `/api/admin/requests` and `/api/admin/usage`: what was asked, what it cost, and the sums of days. */
import Type from 'typebox';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { money, toTomanText } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import { operatorReceipt, type RequestFilter, type RequestLog, type UsageDay } from '../../requestlog/index.ts';
import { closed, PAGE_QUERY, page, pageOf, shown, Toman } from '../openapi/building-blocks.ts';
import { OperatorReceipt } from '../openapi/receipt-shape.ts';
import type { RegisterOperatorRoute } from './operator-routes.ts';

const Text = Type.Optional(Type.String({ maxLength: 256 }));

const RequestQuery = closed({
  account_id: Text,
  key_id: Text,
  model: Text,
  endpoint: Text,
  state: Type.Optional(Type.Enum(['running', 'completed', 'interrupted', 'client_closed', 'failed', 'refused'])),
  from: Type.Optional(Type.String({ description: 'RFC 3339; included.' })),
  to: Type.Optional(Type.String({ description: 'RFC 3339; not included.' })),
  ...PAGE_QUERY,
});

export function requests(register: RegisterOperatorRoute, log: RequestLog): void {
  register({
    method: 'GET',
    path: '/api/admin/requests',
    operationId: 'listRequests',
    tag: 'Requests',
    summary: { fa: 'فهرست درخواست‌ها', en: 'List requests, newest first' },
    query: RequestQuery,
    result: pageOf(OperatorReceipt),
    run: async ({ query }) => {
      const { account_id: accountId, key_id: keyId, model, endpoint, state, after, limit = 50 } = query;
      const times = { from: timeOf(query.from, 'from'), to: timeOf(query.to, 'to') };
      const filter = withoutUndefined({ accountId, keyId, model, endpoint, state, ...times }) as RequestFilter;
      const place = after === undefined ? { limit } : { limit, before: after };
      const { requests: found, next } = await log.list(filter, place);
      return page(found.map(operatorReceipt), next);
    },
  });
  register({
    method: 'GET',
    path: '/api/admin/requests/:id',
    operationId: 'getOperatorReceipt',
    tag: 'Requests',
    summary: { fa: 'رسید کامل یک درخواست', en: 'The whole receipt: plan, attempts, causes, provider cost' },
    result: OperatorReceipt,
    errors: ['not_found'],
    run: async ({ params }) => {
      const found = await log.find(params['id'] ?? '');
      if (!found) throw new GatewayError('not_found');
      return operatorReceipt(found);
    },
  });
}

const GROUPINGS = ['day', 'account', 'key', 'model'] as const;
type Grouping = (typeof GROUPINGS)[number];
const FIELDS: Record<Grouping, { field: string; read(row: UsageDay): string }> = {
  day: { field: 'day', read: (row) => row.day },
  account: { field: 'account_id', read: (row) => row.accountId },
  key: { field: 'key_id', read: (row) => row.keyId },
  model: { field: 'model', read: (row) => row.model },
};

const UsageRow = shown(
  {
    day: Type.Optional(Type.String()),
    account_id: Type.Optional(Type.String()),
    key_id: Type.Optional(Type.String()),
    model: Type.Optional(Type.String()),
    requests: Type.Integer(),
    input_tokens: Type.Integer(),
    output_tokens: Type.Integer(),
    cost: Toman,
  },
  'UsageRow',
);

export function usage(register: RegisterOperatorRoute, log: RequestLog): void {
  register({
    method: 'GET',
    path: '/api/admin/usage',
    operationId: 'getUsage',
    tag: 'Requests',
    summary: { fa: 'جمع مصرف', en: 'Usage roll-ups by day, account, key or model' },
    query: closed({
      account_id: Text,
      from: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'First day, in the account’s time zone.' }),
      to: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'Last day, included.' }),
      group_by: Type.Optional(Type.String({ description: 'Of day, account, key, model; several with commas.' })),
    }),
    result: pageOf(UsageRow),
    run: async ({ query }) => {
      const by = groupingsOf(query.group_by);
      return page(summed(await log.usage(query.account_id, { from: query.from, to: query.to }), by));
    },
  });
}

function groupingsOf(text = 'day'): Grouping[] {
  return text.split(',').map((word) => {
    const found = GROUPINGS.find((name) => name === word.trim());
    if (!found) throw invalidRequest('group_by', reasons.oneOf('group_by', GROUPINGS));
    return found;
  });
}

function summed(rows: UsageDay[], by: Grouping[]) {
  const sums = new Map<string, { place: Record<string, string>; row: Omit<UsageDay, 'day'> }>();
  for (const row of rows) {
    const place = Object.fromEntries(by.map((name) => [FIELDS[name].field, FIELDS[name].read(row)]));
    const id = JSON.stringify(place);
    const sum = sums.get(id);
    if (!sum) sums.set(id, { place, row: { ...row } });
    else {
      sum.row.requests += row.requests;
      sum.row.inputTokens += row.inputTokens;
      sum.row.outputTokens += row.outputTokens;
      sum.row.cost += row.cost;
    }
  }
  return [...sums.values()].map(({ place, row }) => ({
    ...place,
    requests: row.requests,
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
    cost: toTomanText(money(row.cost)),
  }));
}

function timeOf(text: string | undefined, param: string): number | undefined {
  if (text === undefined) return undefined;
  const at = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw invalidRequest(param, reasons.mustBe(param, 'a time such as 2027-03-21T00:00:00+03:30'));
  return at;
}

function withoutUndefined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
