/** One request of the soak and the judgement on what came back. */
import { readAnswer, requestOf } from './client-view.ts';
import type { Client } from './three-routes.ts';

export interface Asked {
  client: Client;
  model: string;
  stream: boolean;
  text: string;
  /** The client hangs up after so long, if it has no answer by then. */
  leaveAfterMs: number | undefined;
  idempotencyKey: string | undefined;
}

export interface Judged {
  verdict: 'answered' | 'failed' | 'interrupted' | 'left' | 'wrong';
  detail: string;
}

const CLEAN_ERRORS = ['upstream_error', 'upstream_timeout', 'overloaded', 'server_error'];

export async function ask(origin: string, key: string, asked: Asked): Promise<Judged> {
  const { client, model, stream, text, leaveAfterMs, idempotencyKey } = asked;
  const { path, body } = requestOf(client, model, stream, text);
  const leaving = new AbortController();
  const timer = leaveAfterMs === undefined ? undefined : setTimeout(() => leaving.abort(), leaveAfterMs);
  try {
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify({ ...body, ...LIMITS[client] }),
      signal: leaving.signal,
    });
    const seen = await readAnswer(response, client);
    const whole = `You said: ${text}`;
    const detail = `${client} ${model} ${stream} ${seen.status}: ${seen.raw.slice(0, 2_000)}`;
    return { verdict: judge(seen, whole), detail };
  } catch (error) {
    if (leaving.signal.aborted) return { verdict: 'left', detail: '' };
    return { verdict: 'wrong', detail: `${client} ${model} ${stream}: ${String(error)}` };
  } finally {
    clearTimeout(timer);
  }
}

const LIMITS: Record<Client, object> = {
  chat: { max_tokens: 64 },
  messages: { max_tokens: 64 },
  responses: { max_output_tokens: 64 },
  gemini: { generationConfig: { maxOutputTokens: 64 } },
};

function judge(seen: Awaited<ReturnType<typeof readAnswer>>, whole: string): Judged['verdict'] {
  const { status, text, complete, error } = seen;
  if (status === 200 && complete && !error && text === whole) return 'answered';
  const clean = error !== undefined && CLEAN_ERRORS.includes(error.code);
  if (status === 200 && clean && !complete && text !== '' && whole.startsWith(text)) return 'interrupted';
  return status >= 500 && clean && text === '' ? 'failed' : 'wrong';
}
