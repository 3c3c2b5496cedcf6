/** `/api/console/requests`: the log of the account, as a list, live, and as receipts. */

import { page } from '@dargah/api/building-blocks.ts';
import { followRequests, getReceipt, getRequestTexts, listRequests } from '@dargah/api/console/own-requests.ts';
import type { ResultOf } from '@dargah/api/describe-route.ts';
import type { AccountService } from '../../accounts/index.ts';
import type { Clock } from '../../core/clock.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { parseToman, toTomanText } from '../../core/money.ts';
import { completionTokens, promptTokens } from '../../core/usage.ts';
import { writeFrame } from '../../protocols/index.ts';
import {
  customerReceipt,
  type PassageRecord,
  type RequestFilter,
  type RequestLog,
  type RequestRecord,
} from '../../requestlog/index.ts';
import { LiveConnectionSlots, liveAnswer } from '../live-answer.ts';
import { httpReasons } from '../reasons.ts';
import type { Register } from '../routes/register.ts';
import { timeInput } from '../time-input.ts';
import { RequestTail } from './request-tail.ts';

/** Stored prompts and answers. */
export interface KeptTexts {
  find(
    requestId: string,
    accountId: string,
  ): Promise<{ request: unknown; answer: string | null; cut: boolean; expiresAt: Date } | undefined>;
}

export interface RequestServices {
  clock: Clock;
  accounts: AccountService;
  log: RequestLog;
  texts: KeptTexts;
  settings: { suppliersShown: boolean };
  pause(ms: number): Promise<void>;
  /** Which of the passages still exist in their knowledge bases. */
  passagesThere(passages: readonly PassageRecord[]): Promise<boolean[]>;
}

const TAILS_PER_ACCOUNT = 10;

export function requestRoutes(register: Register, services: RequestServices): void {
  const { accounts, log, texts, settings, passagesThere } = services;
  register(listRequests, async ({ who, query }) => {
    const { calendar } = await accounts.get(who.accountId);
    const filter: RequestFilter = {
      accountId: who.accountId,
      ...optionalField('keyId', query.key_id),
      ...optionalField('model', query.model),
      ...optionalField('endpoint', query.endpoint),
      ...optionalField('state', query.state),
      ...optionalField('errorCode', query.error),
      ...optionalField('user', query.user),
      ...optionalField('tag', query.tag),
      ...optionalField('slowerThanMs', query.slower_than_ms),
      ...optionalField('costOver', costOf(query.cost_over)),
      ...optionalField('from', timeInput(query.from, 'from', calendar.timeZone)),
      ...optionalField('to', timeInput(query.to, 'to', calendar.timeZone)),
    };
    const place = { limit: query.limit ?? 50, ...optionalField('before', query.after) };
    const { requests, next, searchedBackTo } = await log.list(filter, place);
    const back = searchedBackTo === null ? null : new Date(searchedBackTo).toISOString();
    return { ...page(requests.map(requestView), next), searched_back_to: back };
  });
  const connectionSlots = new LiveConnectionSlots(TAILS_PER_ACCOUNT);
  register(followRequests, async ({ who, query, enterAgain }) => {
    const leave = connectionSlots.acquire(who.accountId);
    const tail = new RequestTail(services, {
      accountId: who.accountId,
      ...optionalField('keyId', query.key_id),
      ...optionalField('model', query.model),
      ...optionalField('state', query.state),
    });
    const begin = async () => void (await tail.look());
    const look = async () => (await tail.look()).map(requestFrame);
    return liveAnswer(services, { who, enterAgain }, { begin, look, end: leave });
  });
  register(getReceipt, async ({ who, params }) => {
    const found = await log.find(params.id, who.accountId);
    if (!found) throw new GatewayError('not_found');
    const { plan: _plan, attempts, passages, ...receipt } = customerReceipt(found, settings.suppliersShown);
    const shown = attempts.map((attempt) => (settings.suppliersShown ? attempt : { ...attempt, provider: null }));
    const there = await passagesThere(found.passages);
    const named = passages.map((passage, at) => ({ ...passage, still_there: there[at] ?? false }));
    const isReader = who.role === 'owner' || who.role === 'admin' || who.role === 'developer';
    const kept = isReader && (await texts.find(found.id, who.accountId)) !== undefined;
    const credit = await log.guaranteeCredit(found);
    return { ...receipt, ...requestView(found), ...credit, attempts: shown, passages: named, texts_kept: kept };
  });
  register(getRequestTexts, async ({ who, params }) => {
    const kept = await texts.find(params.id, who.accountId);
    if (!kept) throw new GatewayError('not_found');
    return { request: kept.request, answer: kept.answer, cut: kept.cut, expires_at: kept.expiresAt.toISOString() };
  });
}

export function requestFrame(record: RequestRecord): string {
  return writeFrame(JSON.stringify(requestView(record)), 'request');
}

function requestView(record: RequestRecord): ResultOf<typeof listRequests>['data'][number] {
  return {
    object: 'request',
    id: record.id,
    created_at: new Date(record.createdAt).toISOString(),
    key_id: record.keyId,
    endpoint: record.endpoint,
    model: record.model,
    stream: record.stream,
    user: record.user,
    tags: record.tags,
    state: record.state,
    status: record.status === 0 ? null : record.status,
    error: record.errorCode === null ? null : { code: record.errorCode },
    input_tokens: record.usage && promptTokens(record.usage),
    output_tokens: record.usage && completionTokens(record.usage),
    cost: toTomanText(record.cost),
    first_event_ms: record.firstEventMs,
    duration_ms: record.durationMs,
  };
}

function costOf(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  const amount = parseToman(text);
  if (amount === undefined) throw invalidRequest('cost_over', httpReasons.costOverNotToman);
  return amount;
}

function optionalField<N extends string, T>(name: N, value: T | undefined): { [K in N]?: T } {
  return (value === undefined ? {} : { [name]: value }) as { [K in N]?: T };
}
