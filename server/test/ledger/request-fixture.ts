/** Requests for tests of the books. */
import type { Clock } from '../../src/core/clock.ts';
import { money } from '../../src/core/money.ts';
import type { Call } from '../../src/gateway/call.ts';
import { startRecordOf } from '../../src/gateway/settle/record.ts';
import type { KeySnapshot } from '../../src/keys/index.ts';
import type { Log } from '../../src/platform/log.ts';
import type { RequestRecord, StartRecord } from '../../src/requestlog/index.ts';
import type { RequestClosing } from '../../src/requestlog/record-columns.ts';
import { RECORD } from '../../src/requestlog/record-columns.ts';

export const START = Date.parse('2026-11-15T08:00:00Z');

export interface TestClock extends Clock {
  advance(ms: number): void;
}

export function testClock(start = START): TestClock {
  let elapsed = 0;
  return {
    now: () => start + elapsed,
    monotonicMs: () => elapsed,
    advance(ms) {
      elapsed += ms;
    },
  };
}

export interface TestLog extends Log {
  errors: string[];
}

export function testLog(): TestLog {
  const errors: string[] = [];
  const note = (_fields: object, message: string) => {
    errors.push(message);
  };
  return { errors, debug() {}, info() {}, warn() {}, error: note };
}

/** A column that is added needs nothing here, neither one that is known at the end nor one that comes with the call. */
const INITIAL = Object.fromEntries(
  Object.entries(RECORD).flatMap(([field, entry]) => ('initial' in entry ? [[field, entry.initial]] : [])),
) as RequestClosing;

export function startRecord(id: string, over: Partial<StartRecord> = {}): StartRecord {
  const call = { id, receivedAt: START, endpoint: 'chat.completions', headers: {}, metadata: {} } as Call;
  const key = { id: 'k1', account: { id: 'acme' } } as KeySnapshot;
  const known = { model: 'openai/gpt', stream: true, held: money(9_000n), priceVersion: 'p1', day: '2026-11-15' };
  return { ...startRecordOf(call, key), ...known, ...over };
}

export function record(id: string, over: Partial<RequestRecord> = {}): RequestRecord {
  const closing: RequestClosing = {
    ...INITIAL,
    state: 'completed',
    errorCode: null,
    status: 200,
    usage: { buckets: { inputFresh: 100, output: 20 }, source: 'upstream', raw: { total: 120 } },
    cost: money(500n),
    formula: [
      { bucket: 'inputFresh', units: 100, unitPrice: 3n, amount: money(300n) },
      { bucket: 'output', units: 20, unitPrice: 10n, amount: money(200n) },
    ],
    attempts: [
      {
        provider: 'openai',
        route: 'openai/gpt',
        credential: 'c1',
        outcome: 'ok',
        status: 200,
        startedAt: START,
        firstEventMs: 12,
        durationMs: 34,
        cause: null,
      },
    ],
    plan: ['openai: only route'],
    providerCost: money(400n),
    provider: 'openai',
    firstEventMs: 12,
    durationMs: 35,
    counters: ['cap:key:k1:daily:2026-11-15', 'cap:account:acme:total:all'],
    retrievedTokens: 0,
    warnings: [],
  };
  return { ...startRecord(id), ...closing, ...over };
}
