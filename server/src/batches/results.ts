/**
 * Results as files and streams of JSONL. They are made from the lines when somebody reads them, so that no second copy
 * is kept.
 */
import { isJsonObject, type Json, type JsonObject, parseTrustedJson } from '../core/json.ts';
import type { Queryable } from '../platform/db/index.ts';
import { type EndedLine, endedLines, type LineState } from './line-rows.ts';

export const OUTPUT_STATES: readonly LineState[] = ['succeeded'];
export const ERROR_STATES: readonly LineState[] = ['failed', 'cancelled', 'expired'];
const ALL_STATES: readonly LineState[] = [...OUTPUT_STATES, ...ERROR_STATES];

const NOT_RUN = {
  expired: { code: 'batch_expired', message: 'This request could not be run before the completion window expired.' },
  cancelled: { code: 'batch_cancelled', message: 'The batch was cancelled before this request ran.' },
} as const;

/** Small pieces are joined up to this size, so that small answers do not arrive one by one. */
const PIECE_BYTES = 64 * 1_024;

export function openaiResults(
  db: Queryable,
  batchId: string,
  states: readonly LineState[],
): AsyncGenerator<Uint8Array> {
  return asJsonl(endedLines(db, batchId, states), (line) => openaiLine(batchId, line));
}

export function anthropicResults(db: Queryable, batchId: string): AsyncGenerator<Uint8Array> {
  return asJsonl(endedLines(db, batchId, ALL_STATES), anthropicLine);
}

export async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const piece of pieces) bytes += piece.length;
  return bytes;
}

async function* asJsonl(
  lines: AsyncIterable<EndedLine>,
  write: (line: EndedLine) => string,
): AsyncGenerator<Uint8Array> {
  let waiting = '';
  for await (const line of lines) {
    waiting += `${write(line)}\n`;
    if (waiting.length < PIECE_BYTES) continue;
    yield Buffer.from(waiting);
    waiting = '';
  }
  if (waiting !== '') yield Buffer.from(waiting);
}

/** The body is inserted unchanged, because it is JSON that we wrote. */
function openaiLine(batchId: string, { line, customId, state, requestId, status, body }: EndedLine): string {
  const head = `{"id":"${batchId.replace('batch_', 'batch_req_')}_${line}","custom_id":${JSON.stringify(customId)}`;
  if (state === 'expired' || state === 'cancelled')
    return `${head},"response":null,"error":${JSON.stringify(NOT_RUN[state])}}`;
  const answer = body === null ? 'null' : Buffer.from(body).toString('utf8');
  return `${head},"response":{"status_code":${status ?? 0},"request_id":${JSON.stringify(requestId)},"body":${answer}},"error":null}`;
}

function anthropicLine({ customId, state, body }: EndedLine): string {
  const head = `{"custom_id":${JSON.stringify(customId)},"result":{"type":`;
  if (state === 'expired') return `${head}"expired"}}`;
  if (state === 'cancelled') return `${head}"canceled"}}`;
  const answer = body === null ? 'null' : Buffer.from(body).toString('utf8');
  return state === 'succeeded' ? `${head}"succeeded","message":${answer}}}` : `${head}"errored","error":${answer}}}`;
}

export interface LineUsage {
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  reasoningTokens: number;
}

/** Reads the usage that an answer reports, in the fields of any of the protocols. */
export function usageOfBody(body: string): LineUsage {
  const answer = parseTrustedJson(body);
  const usage = isJsonObject(answer) && isJsonObject(answer['usage']) ? answer['usage'] : {};
  const input = objectOf(usage['prompt_tokens_details'] ?? usage['input_tokens_details']);
  const output = objectOf(usage['completion_tokens_details'] ?? usage['output_tokens_details']);
  const cachedApart = count(usage['cache_read_input_tokens']) + count(usage['cache_creation_input_tokens']);
  return {
    inputTokens: count(usage['prompt_tokens'] ?? usage['input_tokens']) + cachedApart,
    cachedTokens: count(input['cached_tokens'] ?? usage['cache_read_input_tokens']),
    outputTokens: count(usage['completion_tokens'] ?? usage['output_tokens']),
    reasoningTokens: count(output['reasoning_tokens']),
  };
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function count(value: Json | undefined): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
