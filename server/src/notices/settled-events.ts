/**
 * `request.settled`: the account's webhooks are told of each request of a key whose rule asks for it, once it is
 * posted. The events are put into the outbox from the journal's batch before that is deleted, so a crash loses none;
 * the request itself was answered long before. What an account's targets do not accept waits, up to a limit.
 */
import type { Clock } from '../core/clock.ts';
import type { JsonObject } from '../core/json.ts';
import { toTomanText } from '../core/money.ts';
import { completionTokens, promptTokens } from '../core/usage.ts';
import type { Database } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { SafePost } from '../platform/upstream/index.ts';
import { decodeRecord, type RequestRecord } from '../requestlog/index.ts';
import { type CarryOutcome, postWebhook } from './carry.ts';
import { leaseOf, noteTry } from './deliveries.ts';
import { DELETE_EVENT, type DueEvent, PUT_EVENTS, TAKE_EVENTS } from './delivery-rows.ts';
import type { Notices } from './notices.ts';
import { switchOffTarget } from './switch-off.ts';

const SETTLED = 'request.settled';

/** Puts the marked requests of posted lines into the outbox. */
export function createSettledEvents({ db, clock, log }: { db: Database; clock: Clock; log: Log }) {
  return {
    async put(lines: readonly string[]): Promise<void> {
      const records = lines.flatMap((line) => decodeRecord(line) ?? []).filter(({ notify }) => notify > 0);
      if (records.length === 0) return;
      const { wanted, put } = await PUT_EVENTS.only(db, [
        records.map(({ accountId }) => accountId),
        records.map(({ id }) => id),
        records.map((record) => JSON.stringify(settledData(record))),
        new Date(clock.now()),
      ]);
      if (put < wanted) log.warn({ dropped: wanted - put }, 'events of settled requests were dropped: too many wait');
    },
  };
}

function settledData(record: RequestRecord): JsonObject {
  const { usage, errorCode } = record;
  return {
    request_id: record.id,
    created_at: new Date(record.createdAt).toISOString(),
    key_id: record.keyId,
    endpoint: record.endpoint,
    model: record.model,
    stream: record.stream,
    state: record.state,
    error: errorCode === null ? null : { code: errorCode },
    user: record.user,
    tags: record.tags,
    prompt_tokens: usage && promptTokens(usage),
    completion_tokens: usage && completionTokens(usage),
    cost: toTomanText(record.cost),
    duration_ms: record.durationMs,
  };
}

export interface SettledOutboxOptions {
  db: Database;
  clock: Clock;
  secrets: SecretBox;
  post: SafePost;
  notices: Notices;
  chance(): number;
  timeoutMs?: number;
}

/** Sends them like other webhooks, but separately, so that a flood of requests delays no alert. */
export class SettledOutbox {
  readonly #options: SettledOutboxOptions;

  constructor(options: SettledOutboxOptions) {
    this.#options = options;
  }

  /** Returns how many were tried. */
  async deliverDue(max: number): Promise<number> {
    const { db, clock } = this.#options;
    const nowMs = clock.now();
    const due = await TAKE_EVENTS.rows(db, leaseOf(nowMs, max));
    await Promise.all(due.map((row) => this.#deliver(row)));
    return due.length;
  }

  async #deliver(row: DueEvent): Promise<void> {
    const { db, clock, chance } = this.#options;
    const outcome: CarryOutcome = await postWebhook(this.#options, {
      id: row.id,
      event: SETTLED,
      data: row.data,
      at: row.created_at,
      url: row.url,
      sealed: row.sealed,
      isOn: row.target_enabled !== false,
    });
    const state = await noteTry(db, 'settled_event', row, outcome, { nowMs: clock.now(), chance: chance() });
    if (state === 'waiting') return;
    await DELETE_EVENT.run(db, [row.id]);
    if (state === 'failed') await switchOffTarget(this.#options, row, outcome);
  }
}
