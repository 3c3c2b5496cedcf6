/** `/api/admin/requests` and `/api/admin/usage`: what was asked, what it cost, and the sums of days. */

import { MONEY_READ } from '@dargah/api/access.ts';
import { getOperatorReceipt, getTraffic, getUsage, listRequests } from '@dargah/api/admin/requests.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { QueryOf } from '@dargah/api/describe-route.ts';
import type { StaffRole } from '@dargah/core/roles.ts';
import type { CatalogAdmin } from '../../catalog/index.ts';
import type { Clock } from '../../core/clock.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { money, toTomanText } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import { parseDayInput } from '../../keys/index.ts';
import type { Queryable } from '../../platform/db/index.ts';
import {
  operatorReceipt,
  type RequestList,
  type RequestLog,
  type RequestRecord,
  type UsageDay,
  type WideFilter,
} from '../../requestlog/index.ts';
import type { Register } from '../routes/register.ts';
import { timeInput } from '../time-input.ts';
import { type ListOfStaff, listPage, namesOf, tomanInput, totalOf } from './staff-list.ts';

export interface OperatorRequests {
  db: Queryable;
  log: RequestLog;
  list: RequestList;
  prices: Pick<CatalogAdmin['prices'], 'origin'>;
}

function requestList({ db, list }: Pick<OperatorRequests, 'db' | 'list'>): ListOfStaff<typeof listRequests> {
  return {
    id: 'requests',
    route: listRequests,
    async read(query, { role, use }) {
      const filter = filterOf(query);
      const { after, limit = 50, sort = 'newest' } = query;
      const found = await list.page(filter, { after: after ?? null, limit, sort, use });
      const [accounts, keys] = [found.rows.map((row) => row.accountId), found.rows.map((row) => row.keyId)];
      const total = use === 'job' ? null : await totalOf(after, (max) => list.count(filter, max));
      const names = use === 'job' ? {} : await namesOf(db, accounts, keys);
      return listPage(
        found.rows.map((record) => receiptFor(role, record)),
        found,
        { total, names },
      );
    },
    at: (row) => row.created_at,
    columns: {
      id: (row) => row.id,
      created_at: (row) => row.created_at,
      account_id: (row) => row.account_id,
      key_id: (row) => row.key_id,
      model: (row) => row.model,
      endpoint: (row) => row.endpoint,
      state: (row) => row.state,
      status: (row) => row.status,
      error: (row) => row.error?.code ?? null,
      provider: (row) => row.provider,
      user: (row) => row.user,
      tags: (row) => row.tags.join(' '),
      prompt_tokens: (row) => row.usage?.prompt_tokens ?? null,
      completion_tokens: (row) => row.usage?.completion_tokens ?? null,
      duration_ms: (row) => row.duration_ms,
      cost_toman: (row) => row.cost,
      provider_cost_toman: (row) => row.provider_cost,
    },
  };
}

function filterOf(query: QueryOf<typeof listRequests>): WideFilter {
  const { account_id: accountId, key_id: keyId, model, endpoint, state, provider, user, q } = query;
  const costOver = tomanInput(query.cost_over, 'cost_over');
  const times = { from: timeInput(query.from, 'from'), to: timeInput(query.to, 'to') };
  const other = { errorCode: query.error_code, user, costOver, slowerThanMs: query.slower_than_ms };
  const idBegins = q === undefined || q.trim() === '' ? undefined : q.trim();
  const filter = { accountId, keyId, model, endpoint, state, provider, idBegins, ...times, ...other };
  return withoutUndefined(filter) as WideFilter;
}

export function requests(register: Register, services: OperatorRequests): ListOfStaff<typeof listRequests> {
  const { log, prices } = services;
  const list = requestList(services);
  register(listRequests, ({ query, who }) => list.read(query, { ...who, use: 'list' }));
  register(getOperatorReceipt, async ({ params, who }) => {
    const found = await log.find(params.id);
    if (!found) throw new GatewayError('not_found');
    const origin = seesCosts(who.role) ? await prices.origin(found.priceVersion) : undefined;
    const credit = await log.guaranteeCredit(found);
    return { ...receiptFor(who.role, found), ...credit, price_origin: origin ?? null };
  });
  return list;
}

/** The cost of a request beside its charge reveals our profit, so only some roles see it. */
function receiptFor(role: StaffRole, record: RequestRecord) {
  if (seesCosts(role)) return operatorReceipt(record);
  const attempts = record.attempts.map(({ providerCost: _hidden, ...attempt }) => attempt);
  return operatorReceipt({ ...record, attempts, providerCost: null });
}

function seesCosts(role: StaffRole): boolean {
  return MONEY_READ.roles.some((one) => one === role);
}

const GROUPINGS = ['day', 'account', 'key', 'model'] as const;
type Grouping = (typeof GROUPINGS)[number];
const FIELDS: Record<Grouping, { field: string; read(row: UsageDay): string }> = {
  day: { field: 'day', read: (row) => row.day },
  account: { field: 'account_id', read: (row) => row.accountId },
  key: { field: 'key_id', read: (row) => row.keyId },
  model: { field: 'model', read: (row) => row.model },
};

export function traffic(register: Register, log: RequestLog, clock: Clock): void {
  register(getTraffic, async () => {
    const { requestsOfMinute, requests: all, failed, refused, p50Ms, p95Ms } = await log.traffic(clock.now());
    return {
      object: 'traffic' as const,
      requests_per_second: requestsOfMinute / 60,
      requests: all,
      failed,
      refused,
      p50_ms: p50Ms,
      p95_ms: p95Ms,
    };
  });
}

export function usage(register: Register, log: RequestLog): void {
  register(getUsage, async ({ query }) => {
    const by = groupingsOf(query.group_by);
    const days = { from: dayOf(query.from, 'from'), to: dayOf(query.to, 'to') };
    return page(summed(await log.usage(query.account_id, days), by));
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
      sum.row.refused += row.refused;
      sum.row.inputTokens += row.inputTokens;
      sum.row.outputTokens += row.outputTokens;
      sum.row.cost += row.cost;
    }
  }
  return [...sums.values()].map(({ place, row }) => ({
    ...place,
    requests: row.requests,
    refused: row.refused,
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
    cost: toTomanText(money(row.cost)),
  }));
}

function dayOf(text: string, param: string): string {
  const day = parseDayInput(text);
  if (day === undefined) throw invalidRequest(param, reasons.mustBeDate(param));
  return day;
}

function withoutUndefined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
