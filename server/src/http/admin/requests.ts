/** `/api/admin/requests` and `/api/admin/usage`: what was asked, what it cost, and the sums of days. */
import type { CatalogAdmin } from '../../catalog/index.ts';
import type { Clock } from '../../core/clock.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { money, toTomanText } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import type { StaffRole } from '../../core/roles.ts';
import { parseDayInput } from '../../keys/index.ts';
import {
  operatorReceipt,
  type RequestFilter,
  type RequestLog,
  type RequestRecord,
  type UsageDay,
} from '../../requestlog/index.ts';
import { page } from '../openapi/building-blocks.ts';
import { MONEY_READ } from '../routes/access.ts';
import type { Register } from '../routes/register.ts';
import { timeInput } from '../time-input.ts';
import { getOperatorReceipt, getTraffic, getUsage, listRequests } from './routes/requests.ts';

export function requests(register: Register, log: RequestLog, prices: Pick<CatalogAdmin['prices'], 'origin'>): void {
  register(listRequests, async ({ query, who }) => {
    const { account_id: accountId, key_id: keyId, model, endpoint, state, after, limit = 50 } = query;
    const times = { from: timeInput(query.from, 'from'), to: timeInput(query.to, 'to') };
    const filter = withoutUndefined({ accountId, keyId, model, endpoint, state, ...times }) as RequestFilter;
    const place = after === undefined ? { limit } : { limit, before: after };
    const { requests: found, next } = await log.list(filter, place);
    return page(
      found.map((record) => receiptFor(who.role, record)),
      next,
    );
  });
  register(getOperatorReceipt, async ({ params, who }) => {
    const found = await log.find(params.id);
    if (!found) throw new GatewayError('not_found');
    const origin = seesCosts(who.role) ? await prices.origin(found.priceVersion) : undefined;
    return { ...receiptFor(who.role, found), price_origin: origin ?? null };
  });
}

/** What a request cost us beside what it was charged is our profit. */
function receiptFor(role: StaffRole, record: RequestRecord): JsonObject {
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
