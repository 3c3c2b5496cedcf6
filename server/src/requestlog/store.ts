/** Finds requests: first among those running or waiting for the database in this process, then in the database. */

import type { CreditState } from '@dargah/core/guarantee-states.ts';
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import { invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import { firstIdAt } from '../core/ids.ts';
import { toTomanText, ZERO } from '../core/money.ts';
import { reasons } from '../core/reasons.ts';
import type { Database } from '../platform/db/database.ts';
import { TRAFFIC, type Traffic } from './activity-sql.ts';
import type { RequestRecord } from './record-columns.ts';
import { decodeRecord } from './record-text.ts';
import type { RequestFilter } from './request-filter.ts';
import { CREDIT_OF_REQUEST, findStored, newestRequests } from './request-rows.ts';
import { USAGE_OF_DAYS } from './usage-rows.ts';

export interface UsageDay {
  accountId: string;
  day: string;
  keyId: string;
  model: string;
  requests: number;
  refused: number;
  inputTokens: number;
  outputTokens: number;
  /** Micro-toman. */
  cost: bigint;
}

export interface RequestPage {
  requests: RequestRecord[];
  next: string | null;
  /** Set where the archive did not answer: milliseconds since 1970. What is older is there. */
  searchedBackTo: number | null;
}

export interface RequestLog {
  /** With an account id, another account's request is not found either. */
  find(id: string, accountId?: string): Promise<RequestRecord | undefined>;
  /** The credit that a broken answer is owed, for its receipt; nothing is read for any other answer. */
  guaranteeCredit(record: RequestRecord): Promise<{ guarantee_credit?: { state: CreditState; amount: string } }>;
  /** Newest first. `before` is the `next` of the page before. */
  list(filter: RequestFilter, page: { before?: string; limit: number }): Promise<RequestPage>;
  /** The roll-up by day, key and model, of one account or of all; days as `2026-11-15`, both included. */
  usage(accountId: string | undefined, days: { from: string; to: string }): Promise<UsageDay[]>;
  /** The last minute and the last hour of all accounts. */
  traffic(nowMs: number): Promise<Traffic>;
}

export interface RequestLogOptions {
  db: Database;
  /** Finds a request that the database may not have yet (in the journal). */
  recent?: { lookup(id: string): string | undefined };
}

export const MAX_PAGE = 500;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export function createRequestLog({ db, recent }: RequestLogOptions): RequestLog {
  return {
    async find(id, accountId) {
      const text = recent?.lookup(id);
      const found = text === undefined ? await findStored(db, id) : decodeRecord(text);
      return accountId === undefined || found?.accountId === accountId ? found : undefined;
    },
    async guaranteeCredit({ id, guarantee, cost }) {
      if (guarantee !== 'broken' || cost === ZERO) return {};
      const row = await CREDIT_OF_REQUEST.first(db, [id]);
      // Until the request is posted, the credit has no row.
      return { guarantee_credit: { state: row?.state ?? 'waiting', amount: toTomanText(cost) } };
    },
    async list(filter, { before, limit }) {
      const size = Math.max(1, Math.min(limit, MAX_PAGE));
      const rows = await newestRequests(db, filter, before, size + 1);
      const requests = rows.slice(0, size);
      const next = rows.length > size ? (requests.at(-1)?.id ?? null) : null;
      return { requests, next, searchedBackTo: null };
    },
    async traffic(nowMs) {
      const hourAgo = nowMs - HOUR_MS;
      return TRAFFIC.only(db, [firstIdAt('req', hourAgo), new Date(hourAgo), new Date(nowMs - 60_000)]);
    },
    async usage(accountId, { from, to }) {
      for (const [field, day] of Object.entries({ from, to }))
        if (!DAY.test(day)) throw invalidRequest(field, reasons.mustBe(field, expected.day));
      const rows = await USAGE_OF_DAYS.rows(db, [accountId ?? null, from, to]);
      return rows.map((row) => ({ ...row, cost: BigInt(row.cost) }));
    },
  };
}
