/** `/api/console/requests`: the log of the account, as a list, as it happens, and as receipts. */

import type { AccountService } from '../../accounts/index.ts';
import type { Sink } from '../../core/answer.ts';
import type { Clock } from '../../core/clock.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { parseToman, toTomanText } from '../../core/money.ts';
import { completionTokens, promptTokens } from '../../core/usage.ts';
import {
  customerReceipt,
  type PassageRecord,
  type RequestFilter,
  type RequestLog,
  type RequestRecord,
} from '../../requestlog/index.ts';
import { page } from '../openapi/building-blocks.ts';
import { httpReasons } from '../reasons.ts';
import { RawAnswer, type Register } from '../routes/register.ts';
import { timeOf } from './period.ts';
import { followRequests, getReceipt, getRequestTexts, listRequests } from './routes/usage.ts';

/** Prompts and answers that were kept. */
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
  /** A text that changes when a document of the account changes. */
  documentMark(accountId: string): Promise<string>;
  /** Which of the passages are still in their knowledge bases. */
  passagesThere(passages: readonly PassageRecord[]): Promise<boolean[]>;
}

const TAIL_MS = 1_000;
/** How far back the tail looks: a request is shown when it ends, but its id tells when it began. */
const TAIL_BACK_MS = 15 * 60_000;
const TAIL_LIFE_MS = 30 * 60_000;
const TAILS_PER_ACCOUNT = 10;
/** After so many looks the reader's right to look is checked again. */
const LOOKS_PER_ENTRY = 5;

export function requestRoutes(register: Register, services: RequestServices): void {
  const { accounts, log, texts, settings, passagesThere } = services;
  register(listRequests, async ({ who, query }) => {
    const { calendar } = await accounts.get(who.accountId);
    const filter: RequestFilter = {
      accountId: who.accountId,
      ...given('keyId', query.key_id),
      ...given('model', query.model),
      ...given('endpoint', query.endpoint),
      ...given('state', query.state as RequestFilter['state']),
      ...given('errorCode', query.error),
      ...given('user', query.user),
      ...given('slowerThanMs', query.slower_than_ms),
      ...given('costOver', costOf(query.cost_over)),
      ...given('from', query.from === undefined ? undefined : timeOf(query.from, 'from', calendar)),
      ...given('to', query.to === undefined ? undefined : timeOf(query.to, 'to', calendar)),
    };
    const place = { limit: query.limit ?? 50, ...given('before', query.after) };
    const { requests, next } = await log.list(filter, place);
    return page(requests.map(requestView), next);
  });
  const tails = new Map<string, number>();
  register(followRequests, async ({ who, query, enterAgain }) => {
    const open = tails.get(who.accountId) ?? 0;
    if (open >= TAILS_PER_ACCOUNT) throw new GatewayError('rate_limited', { retryAfterMs: 60_000 });
    tails.set(who.accountId, open + 1);
    const filter: RequestFilter = {
      accountId: who.accountId,
      ...given('keyId', query.key_id),
      ...given('model', query.model),
      ...given('state', query.state as RequestFilter['state']),
    };
    const run = (sink: Sink) =>
      tail({ ...services, enterAgain }, who.accountId, filter, sink).finally(() => {
        const left = (tails.get(who.accountId) ?? 1) - 1;
        if (left > 0) tails.set(who.accountId, left);
        else tails.delete(who.accountId);
      });
    return new RawAnswer({ kind: 'stream', contentType: 'text/event-stream; charset=utf-8', run });
  });
  register(getReceipt, async ({ who, params }) => {
    const found = await log.find(params.id, who.accountId);
    if (!found) throw new GatewayError('not_found');
    const { plan: _plan, attempts, passages, ...receipt } = customerReceipt(found, settings.suppliersShown);
    const shown = (attempts as Record<string, unknown>[]).map((attempt) =>
      settings.suppliersShown ? attempt : { ...attempt, provider: null },
    );
    const there = await passagesThere(found.passages);
    const named = (passages as JsonObject[]).map((passage, at) => ({ ...passage, still_there: there[at] ?? false }));
    const isReader = who.role === 'owner' || who.role === 'admin' || who.role === 'developer';
    const kept = isReader && (await texts.find(found.id, who.accountId)) !== undefined;
    return { ...receipt, ...requestView(found), attempts: shown, passages: named, texts_kept: kept };
  });
  register(getRequestTexts, async ({ who, params }) => {
    const kept = await texts.find(params.id, who.accountId);
    if (!kept) throw new GatewayError('not_found');
    return { request: kept.request, answer: kept.answer, cut: kept.cut, expires_at: kept.expiresAt.toISOString() };
  });
}

interface TailServices extends RequestServices {
  enterAgain(): Promise<void>;
}

/**
 * Looks once a second: it works the same on one replica and on many, and costs two indexed reads. Whoever is signed out, removed
 * or blocked meanwhile is cut off.
 */
async function tail(services: TailServices, accountId: string, filter: RequestFilter, sink: Sink): Promise<void> {
  const { log, clock, pause, documentMark, enterAgain } = services;
  const endsAt = clock.now() + TAIL_LIFE_MS;
  const seen = new Set<string>();
  const look = async () =>
    (await log.list({ ...filter, from: clock.now() - TAIL_BACK_MS }, { limit: 200 })).requests.filter(
      ({ id, state }) => state !== 'running' && !seen.has(id),
    );
  try {
    for (const { id } of await look()) seen.add(id);
    let mark = await documentMark(accountId);
    await sink.write(': open\n\n');
    for (let looks = 1; !sink.gone && clock.now() < endsAt; looks++) {
      if (looks % LOOKS_PER_ENTRY === 0) await enterAgain();
      const fresh = await look();
      for (const record of fresh.reverse()) {
        seen.add(record.id);
        await sink.write(`event: request\ndata: ${JSON.stringify(requestView(record))}\n\n`);
      }
      const newMark = await documentMark(accountId);
      if (newMark !== mark) await sink.write('event: documents\ndata: {}\n\n');
      mark = newMark;
      if (fresh.length === 0) await sink.write(': \n\n');
      while (seen.size > 2_000) for (const id of seen) if (seen.delete(id) && seen.size <= 1_000) break;
      await pause(TAIL_MS);
    }
    sink.end();
  } catch {
    // The database is away, or the reader has left or lost the right to look. A reader who may still look reconnects by itself.
    sink.cut();
  }
}

function requestView(record: RequestRecord) {
  return {
    object: 'request',
    id: record.id,
    created_at: new Date(record.createdAt).toISOString(),
    key_id: record.keyId,
    endpoint: record.endpoint,
    model: record.model,
    stream: record.stream,
    user: record.user,
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

function given<N extends string, T>(name: N, value: T | undefined): { [K in N]?: T } {
  return (value === undefined ? {} : { [name]: value }) as { [K in N]?: T };
}
