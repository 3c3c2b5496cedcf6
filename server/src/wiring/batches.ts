/**
 * Files and batches, wired: stored in the database, run by the gateway with lower priority than interactive requests.
 */
import { type AskedLine, Batches, BatchRunner, type LineAnswer, Permits, StoredFiles } from '../batches/index.ts';
import type { Settings } from '../config/index.ts';
import { GatewayError } from '../core/errors.ts';
import { answerLine, type Gateway, LARGE_BODY_BYTES } from '../gateway/index.ts';
import { lineEndpoints } from '../http/index.ts';
import type { KeyDirectory } from '../keys/index.ts';
import { JSON_MEMORY_FACTOR } from '../platform/memory-budget.ts';
import { begunRequest } from '../requestlog/index.ts';
import type { ConversationStore, ResponseStore } from '../responses/index.ts';
import type { Foundation } from './foundation.ts';
import type { RequestPath } from './request-path.ts';
import { openKeptForCallers, openResponses } from './responses.ts';

interface BatchParts {
  responses: ResponseStore;
  conversations: ConversationStore;
  limits: Settings['limits'];
  keys: Pick<KeyDirectory, 'byId'>;
  /** True when the process is overloaded. */
  busy(): boolean;
}

const BUSY_MS = 1_000;
const NOTHING_HELD = () => undefined;

/** What is stored for callers between their requests: answers, conversations, files and batches. */
export async function openKept(
  base: Foundation,
  { gw, keys }: Pick<RequestPath, 'gw' | 'keys'>,
  limits: Settings['limits'],
  lag: { isOverloaded(): boolean },
) {
  const responses = openResponses(base, limits);
  const { conversations, clientSecrets } = openKeptForCallers(base, limits);
  const busy = () => lag.isOverloaded() || gw.running.size >= limits.maxConcurrentRequests / 2;
  const batches = await openBatches(base, gw, { responses, conversations, limits, keys, busy });
  return { responses, conversations, clientSecrets, batches };
}

async function openBatches(base: Foundation, gw: Gateway, parts: BatchParts) {
  const { responses, conversations, limits } = parts;
  const { db, clock, background, log } = base;
  const { randomBytes } = base.tools;
  const files = new StoredFiles({ db, clock, randomBytes, background, bounds: limits });
  const service = new Batches({ db, clock, randomBytes, background, files, bounds: limits });
  const endpoints = lineEndpoints(gw, responses, conversations);
  // A line must fit into the memory budget of requests beside others.
  const maxLineBytes = Math.min(limits.maxBodyBytes, Math.floor(gw.memory.maxLarge / (2 * JSON_MEMORY_FACTOR)));
  const bounds = { maxLines: limits.batchMaxLines, maxLineBytes };
  const runner = new BatchRunner({
    db,
    clock,
    randomBytes,
    background,
    queues: base.queues,
    files,
    log,
    permits: new Permits(() => limits.batchParallel),
    bounds: () => bounds,
    async room(accountId, bytes) {
      if (bytes <= LARGE_BODY_BYTES) return NOTHING_HELD;
      const share = gw.memory.open(accountId);
      await share.reserve('bodies', bytes * JSON_MEMORY_FACTOR, Number.POSITIVE_INFINITY);
      return () => share.release();
    },
    ask: (line) => askLine(line, endpoints, parts, gw),
    begun: (requestId) => begunRequest(db, requestId),
  });
  await runner.start();
  return { service, endpoints, runner, ...bounds };
}

async function askLine(
  { keyId, endpoint: address, ...line }: AskedLine,
  endpoints: ReturnType<typeof lineEndpoints>,
  { busy, keys }: Pick<BatchParts, 'busy' | 'keys'>,
  gw: Gateway,
): Promise<LineAnswer> {
  if (busy()) return { kind: 'later', afterMs: BUSY_MS };
  const endpoint = endpoints.get(address);
  if (!endpoint) throw new Error(`no line can ask ${address}`);
  const key = await keys.byId(keyId);
  if (key) return answerLine({ ...line, key }, endpoint, gw);
  const error = new GatewayError('invalid_api_key');
  const body = endpoint.client.encodeError(error, { requestId: line.requestId, language: 'en' });
  return { kind: 'answered', status: error.status, body: JSON.stringify(body), cost: 0n };
}
