import type { Clock } from '../../../src/core/clock.ts';
import type { UpstreamCall, UpstreamClient, UpstreamReply } from '../../../src/platform/upstream/index.ts';

/** Ours and Node's own: both must keep every promise of the transport. */
export const CLIENTS: UpstreamClient[] = ['own', 'node'];

export function chatCall(
  origin: string,
  changes: Partial<UpstreamCall> & { stream?: boolean; text?: string } = {},
): UpstreamCall {
  const { stream = false, text = 'hello', ...rest } = changes;
  return {
    pool: 'fake',
    url: `${origin}/v1/chat/completions`,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-planted-secret' },
    body: JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: text }] }),
    connectMs: 5000,
    headersMs: 60_000,
    idleMs: 60_000,
    ...rest,
  };
}

/** Time that stands still until the test moves it. */
export class ManualClock implements Clock {
  #nowMs = 1_000_000;

  now(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  advance(ms: number): void {
    this.#nowMs += ms;
  }
}

export async function readAll(reply: UpstreamReply): Promise<string> {
  const chunks: Uint8Array[] = [];
  for (let chunk = await reply.read(); chunk !== null; chunk = await reply.read()) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
