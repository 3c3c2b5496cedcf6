/**
 * Prompts and answers that an account asked us to keep: encrypted with the master key, and deleted when their time is
 * over.
 */

import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { isJsonObject, type Json, parseTrustedJson } from '../core/json.ts';
import type { Background } from '../platform/background.ts';
import { type Database, inBatches } from '../platform/db/index.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { FORGET_EXPIRED, FORGET_TEXTS_OF_ACCOUNT, KEEP_TEXT, TEXT_OF_REQUEST } from './kept-text-rows.ts';

export interface TextToKeep {
  requestId: string;
  accountId: string;
  days: number;
  /** The body as the caller sent it. */
  request: string;
  answer: string | null;
}

export interface KeptText {
  request: Json;
  answer: string | null;
  cut: boolean;
  expiresAt: Date;
}

export interface RequestTexts {
  /** Never waits and never fails: a text that cannot be kept is lost, and its request goes on. */
  keep(text: TextToKeep): void;
  find(requestId: string, accountId: string): Promise<KeptText | undefined>;
  forget(accountId: string): Promise<void>;
}

export interface RequestTextsOptions {
  db: Database;
  clock: Clock;
  secrets: SecretBox;
  background: Background;
  /** The operator's limit on the days that accounts ask for. */
  maxDays(): number;
}

/** The limit for a request and for its answer; what is longer is cut. */
export const MAX_KEPT_CHARACTERS = 200_000;
const MAX_WAITING = 500;
const PURGE_MS = 60_000;

export function createRequestTexts({ db, clock, secrets, background, maxDays }: RequestTextsOptions): RequestTexts {
  let waiting = 0;
  background.every(PURGE_MS, 'kept texts', async () => {
    const now = clock.now();
    // The limit may have been lowered since a text was written.
    await inBatches(() => FORGET_EXPIRED.rows(db, [new Date(now), new Date(now - maxDays() * DAY_MS)]));
  });
  const write = async ({ requestId, accountId, days, request, answer }: TextToKeep) => {
    const now = clock.now();
    const expiresAt = new Date(now + Math.min(days, maxDays()) * DAY_MS);
    const cut = request.length > MAX_KEPT_CHARACTERS || (answer?.length ?? 0) > MAX_KEPT_CHARACTERS;
    const content = {
      request: request.slice(0, MAX_KEPT_CHARACTERS),
      answer: answer?.slice(0, MAX_KEPT_CHARACTERS) ?? null,
      cut,
    };
    await KEEP_TEXT.run(db, [requestId, accountId, secrets.seal(JSON.stringify(content)), new Date(now), expiresAt]);
  };
  return {
    keep(text) {
      if (waiting >= MAX_WAITING) return;
      waiting++;
      background.detach(
        write(text).finally(() => {
          waiting--;
        }),
        'kept texts',
      );
    },
    async find(requestId, accountId) {
      const row = await TEXT_OF_REQUEST.first(db, [requestId, accountId, new Date(clock.now())]);
      if (!row) return undefined;
      const content = parseTrustedJson(secrets.open(row.sealed));
      if (!isJsonObject(content)) return undefined;
      const { request, answer, cut } = content;
      return {
        request: readable(String(request)),
        answer: typeof answer === 'string' ? answer : null,
        cut: cut === true,
        expiresAt: row.expires_at,
      };
    },
    async forget(accountId) {
      await FORGET_TEXTS_OF_ACCOUNT.run(db, [accountId]);
    },
  };
}

/** A text that was cut is not JSON any more and is shown as text. */
function readable(text: string): Json {
  return parseTrustedJson(text) ?? text;
}
