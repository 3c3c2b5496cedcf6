/** A closed request as the gateway writes it, for the benchmarks of posting. */
import { randomBytes } from 'node:crypto';
import { systemClock } from '../server/src/core/clock.ts';
import { makeId } from '../server/src/core/ids.ts';
import { money } from '../server/src/core/money.ts';
import type { Call } from '../server/src/gateway/call.ts';
import { startRecordOf } from '../server/src/gateway/settle/record.ts';
import type { KeySnapshot } from '../server/src/keys/index.ts';
import { seal, unsealed } from '../server/src/ledger/journal-lines.ts';
import { encodeRecord, type WrittenRequest } from '../server/src/requestlog/index.ts';

const countersOf = (keyId: string, accountId: string) =>
  [`key:${keyId}`, `account:${accountId}`].flatMap((owner) => [
    `cap:${owner}:daily:2026-11-15`,
    `cap:${owner}:monthly:1405-08`,
    `cap:${owner}:total:total`,
  ]);

function record(accountId: string, keyId: string, providerCost: bigint | undefined): WrittenRequest {
  const now = systemClock.now();
  const cost = money(780_000n);
  const id = makeId('req', now, randomBytes);
  const call = { id, receivedAt: now, endpoint: 'chat.completions', headers: {}, metadata: {} } as Call;
  const key = { id: keyId, account: { id: accountId } } as KeySnapshot;
  return {
    ...startRecordOf(call, key),
    model: 'bench/chat',
    held: money(3_450_000n),
    priceVersion: 'price_bench_chat_1',
    state: 'completed',
    errorCode: null,
    status: 200,
    usage: {
      buckets: { inputFresh: 20, output: 8 },
      source: 'upstream',
      raw: { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 },
    },
    cost,
    formula: [
      { bucket: 'inputFresh', units: 20, unitPrice: 15_000n, amount: money(300_000n) },
      { bucket: 'output', units: 8, unitPrice: 60_000n, amount: money(480_000n) },
    ],
    attempts: [
      {
        provider: 'bench',
        route: 'bench/chat@bench',
        credential: 'bench-1',
        outcome: 'ok',
        status: 200,
        startedAt: now,
        firstEventMs: 3,
        durationMs: 3,
        cause: null,
      },
    ],
    plan: ['1. bench/chat@bench: priority 1, weight 1, 12 running, first event 3 ms'],
    providerCost: providerCost === undefined ? null : money(providerCost),
    provider: 'bench',
    firstEventMs: 3,
    durationMs: 3,
    counters: countersOf(keyId, accountId),
    retrievedTokens: 0,
    passages: [],
    warnings: [],
  };
}

/** A batch as the journal hands it to the poster; `who` says whose each request is. */
export function batchOf(
  size: number,
  who: (n: number) => { account: string; key: string; providerCost?: bigint },
): Buffer {
  const lines = Array.from({ length: size }, (_, n) => {
    const { account, key, providerCost } = who(n);
    return unsealed('C', encodeRecord(record(account, key, providerCost)));
  });
  return seal(lines).subarray(0, -1);
}
