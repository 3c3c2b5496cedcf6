/** What a client of each protocol gets to see, read raw: an SDK would hide how a stream ended. */
import { isJsonObject, type JsonObject, parseTrustedJson } from '../../src/core/json.ts';
import type { TestGateway } from '../harness/start-gateway.ts';
import type { Client } from './three-routes.ts';

export interface View {
  status: number;
  requestId: string;
  text: string;
  /** The reason to stop and the terminator of the protocol were both there. */
  complete: boolean;
  error: { code: string; message: string } | undefined;
  /** Everything that came, to look for what must not be in it. */
  raw: string;
}

const PATHS: Record<Client, string> = {
  chat: '/api/v1/chat/completions',
  messages: '/api/v1/messages',
  responses: '/api/v1/responses',
  gemini: '/api/v1beta/models/',
};

export function requestOf(client: Client, model: string, stream: boolean, text: string) {
  if (client === 'gemini') {
    const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
    return { path: `${PATHS.gemini}${model}:${method}`, body: { contents: [{ parts: [{ text }] }] } };
  }
  const turn = [{ role: 'user', content: text }];
  const body = {
    model,
    stream,
    ...(client === 'responses' ? { input: turn } : { messages: turn }),
    ...(client === 'messages' && { max_tokens: 100 }),
    ...(client === 'chat' && stream && { stream_options: { include_usage: true } }),
  };
  return { path: PATHS[client], body };
}

export async function readAnswer(response: Response, client: Client): Promise<View> {
  const raw = await response.text();
  const seen = response.headers.get('content-type')?.includes('event-stream')
    ? readStream(client, raw)
    : readWhole(client, parseTrustedJson(raw));
  return { status: response.status, requestId: response.headers.get('x-svc-request-id') ?? '', raw, ...seen };
}

export async function ask(gateway: TestGateway, client: Client, model: string, stream: boolean): Promise<View> {
  const { path, body } = requestOf(client, model, stream, 'Say something.');
  const response = await gateway.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-language': 'en' },
    body: JSON.stringify(body),
  });
  return readAnswer(response, client);
}

type Seen = Pick<View, 'text' | 'complete' | 'error'>;

/** Any object, looked into without ceremony. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is what the test asks about
type Loose = any;

function readWhole(client: Client, body: unknown): Seen {
  const error = errorOf(body);
  const wire = body as Loose;
  if (error || !isJsonObject(body)) return { text: '', complete: false, error };
  if (client === 'chat') {
    const choice = wire.choices?.[0];
    return {
      text: choice?.message?.content ?? '',
      complete: choice?.finish_reason === 'stop' && wire.usage?.total_tokens > 0,
      error,
    };
  }
  if (client === 'messages') {
    const complete = wire.stop_reason === 'end_turn' && wire.usage?.output_tokens > 0;
    return { text: wire.content?.[0]?.text ?? '', complete, error };
  }
  if (client === 'gemini') {
    const complete = wire.candidates?.[0]?.finishReason === 'STOP' && wire.usageMetadata?.totalTokenCount > 0;
    return { text: textOf(client, wire), complete, error };
  }
  return { text: wire.output?.[0]?.content?.[0]?.text ?? '', complete: wire.status === 'completed', error };
}

function readStream(client: Client, raw: string): Seen {
  const frames = raw.split('\n\n').filter((frame) => frame !== '');
  const datas = frames.flatMap((frame) => /^data: ?(.*)$/m.exec(frame)?.[1] ?? []);
  const events = datas.map((data) => parseTrustedJson(data)).filter(isJsonObject) as Loose[];
  const error = events.map(errorOf).find((found) => found !== undefined);
  const text = events.map((event) => textOf(client, event)).join('');
  return { text, complete: isComplete(client, events, datas.at(-1) ?? ''), error };
}

function textOf(client: Client, event: Loose): string {
  if (client === 'chat') return event.choices?.[0]?.delta?.content ?? '';
  if (client === 'messages') return event.type === 'content_block_delta' ? (event.delta?.text ?? '') : '';
  if (client === 'gemini')
    return (event.candidates?.[0]?.content?.parts ?? []).map((part: Loose) => part.text).join('');
  return event.type === 'response.output_text.delta' ? event.delta : '';
}

function isComplete(client: Client, events: Loose[], last: string): boolean {
  if (client === 'chat') {
    const finishes = events.filter((event) => event.choices?.[0]?.finish_reason === 'stop');
    return last === '[DONE]' && finishes.length === 1 && events.some((event) => event.usage?.total_tokens > 0);
  }
  if (client === 'messages') {
    const types = events.map((event) => event.type);
    return types.at(-1) === 'message_stop' && types.filter((type) => type === 'message_delta').length === 1;
  }
  if (client === 'gemini') {
    const ends = events.filter((event) => event.candidates?.[0]?.finishReason !== undefined);
    return ends.length === 1 && ends[0] === events.at(-1) && ends[0].usageMetadata?.totalTokenCount > 0;
  }
  return events.at(-1)?.type === 'response.completed';
}

/** `code` of the chat protocol; the messages protocol has types, so its codes are told by the sentences. */
function errorOf(body: unknown): View['error'] {
  if (!isJsonObject(body)) return undefined;
  const failed = isJsonObject(body['response']) ? body['response'] : body;
  const error = failed['error'];
  if (!isJsonObject(error)) return undefined;
  const info = Array.isArray(error['details']) ? error['details'][0] : undefined;
  const code = isJsonObject(info) ? info['reason'] : (error['code'] ?? codeOfType(error));
  return { code: String(code), message: String(error['message']) };
}

function codeOfType(error: JsonObject): string {
  const codes: Record<string, string> = { api_error: 'upstream_error', timeout_error: 'upstream_timeout' };
  const type = String(error['type']);
  return codes[type] ?? type.replace(/_error$/, '');
}
