/** Errors of providers that speak a protocol of OpenAI's: as the body of a failed request, inside a 200, or inside a stream. */
import type { UpstreamFailure } from '../core/failure.ts';
import { isJsonObject, type Json, type JsonObject, parseTrustedJson } from '../core/json.ts';
import { failureKind, type ProviderError, tooLongNumbers } from './failure-kind.ts';
import { REQUEST_FIELDS } from './openai-chat/own-fields.ts';
import { retryAfterMs } from './retry-after.ts';

/** Enough for an operator to see what happened; provider pages can be megabytes. */
const MAX_MESSAGE = 1_000;
/** What is looked at to understand an error; all that matters stands at its beginning. */
const MAX_READ = 4_000;
const MAX_PAGE_HEAD = 16_384;
const MAX_TITLE = 200;

export function decodeFailure(status: number, headers: Record<string, string>, text: string): UpstreamFailure {
  if (/^\s*</.test(text)) return pageFailure(status, headers, text);
  const body = parseTrustedJson(text);
  const wire = isJsonObject(body) ? errorIn(body) : undefined;
  if (!wire) return failure({ status, message: text.trim() || `HTTP ${status}` }, undefined, headers);
  return failure({ ...readError(wire), status }, wire, headers);
}

/** An HTML page was written by a proxy in front of the provider; it says nothing about the request. */
function pageFailure(status: number, headers: Record<string, string>, text: string): UpstreamFailure {
  const title = titleOf(text.slice(0, MAX_PAGE_HEAD));
  const page = failure({ status, message: title ?? 'an HTML page' }, undefined, headers);
  return page.kind === 'client-fault' || page.kind === 'model-gone' ? { ...page, kind: 'malformed' } : page;
}

/** Searched step by step, because a regular expression would start anew at every `<title` of a page full of them. */
function titleOf(page: string): string | undefined {
  const start = page.toLowerCase().indexOf('<title');
  const open = start < 0 ? -1 : page.indexOf('>', start);
  if (open < 0) return undefined;
  const close = page.indexOf('<', open);
  const title = page.slice(open + 1, close < 0 ? undefined : close).slice(0, MAX_TITLE);
  return title.trim() || undefined;
}

/** Reads an error that came with status 200, in a body or in a stream. */
export function inBandFailure(error: Json): UpstreamFailure {
  if (!isJsonObject(error))
    return failure({ message: typeof error === 'string' ? error : JSON.stringify(error) }, undefined, {});
  return failure(readError(error), error, {});
}

/** The error object of a body; undefined when the body is not an error. */
export function errorIn(body: JsonObject): JsonObject | undefined {
  const { error, detail, message, errors } = body;
  if (isJsonObject(error)) return error;
  if (typeof error === 'string' && error !== '') return { ...body, message: error };
  if (Array.isArray(body['choices'])) return undefined;
  if (isJsonObject(message)) return message;
  if (typeof message === 'string') return body;
  if (detail !== undefined && detail !== null) return { ...body, message: detailText(detail) };
  if (Array.isArray(errors) && errors.length > 0) return { ...body, message: detailText(errors) };
  return undefined;
}

function detailText(detail: Json): string {
  if (typeof detail === 'string') return detail;
  if (Array.isArray(detail)) return detail.map(detailText).join('; ');
  if (isJsonObject(detail)) {
    const text = detail['msg'] ?? detail['message'];
    if (typeof text === 'string') return text;
  }
  return JSON.stringify(detail);
}

function readError(wire: JsonObject): ProviderError {
  const { code, type, message, metadata } = wire;
  const status = statusOf(wire['status_code']) ?? statusOf(code) ?? statusOf(wire['status']);
  const raw = isJsonObject(metadata) && typeof metadata['raw'] === 'string' ? metadata['raw'] : undefined;
  const text = typeof message === 'string' ? message : message === undefined ? '' : JSON.stringify(message);
  const word = typeof code === 'string' ? code : typeof wire['status'] === 'string' ? wire['status'] : undefined;
  return {
    ...(status !== undefined && { status }),
    ...(word !== undefined && { code: word }),
    ...(typeof type === 'string' && { type }),
    // OpenRouter says only "Provider returned error" and keeps the provider's own text elsewhere.
    message: raw === undefined ? text : `${text}: ${raw}`,
  };
}

function statusOf(value: Json | undefined): number | undefined {
  const status =
    typeof value === 'number' ? value : typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : 0;
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined;
}

function failure(
  { message, ...told }: ProviderError,
  wire: JsonObject | undefined,
  headers: Record<string, string>,
): UpstreamFailure {
  const error: ProviderError = { ...told, message: message.slice(0, MAX_READ) };
  const kind = failureKind(error);
  const wait = retryAfterMs(headers, error.message);
  const param = wire && ownParam(wire['param']);
  const code = error.code ?? error.type;
  return {
    kind,
    ...(error.status !== undefined && { status: error.status }),
    message: error.message.slice(0, MAX_MESSAGE),
    ...(code !== undefined && { code }),
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(param !== undefined && { param }),
    ...(kind === 'context-too-long' && { tooLong: tooLongNumbers(error.message) }),
  };
}

/** `messages[0].content` → `messages.0.content`, when it is a field our clients know. */
function ownParam(param: Json | undefined): string | undefined {
  if (typeof param !== 'string') return undefined;
  const dotted = param.replace(/\[(\d+)\]/g, '.$1');
  return REQUEST_FIELDS.has(dotted.split('.')[0] as string) ? dotted.slice(0, 200) : undefined;
}
