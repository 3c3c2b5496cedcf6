/** Rate headers of both client protocols, from the state of the windows. Pure. */
import { HOUR_MS } from '../core/time-spans.ts';
import { NO_LIMIT, type WindowState } from './admission.ts';

/** Shown where no limit applies at all. */
const SERVICE_CEILING = 1_000_000;
export const UNLIMITED_WINDOW: WindowState = { limit: SERVICE_CEILING, remaining: SERVICE_CEILING, resetMs: 0 };

/** Without a limit the headers show the service's ceiling, less what was used of it. */
function shownState(state: WindowState): WindowState {
  if (state.limit < NO_LIMIT) return state;
  const used = state.limit - state.remaining;
  return { limit: SERVICE_CEILING, remaining: Math.max(0, SERVICE_CEILING - used), resetMs: state.resetMs };
}

export interface RateWindows {
  requests: WindowState;
  tokens: WindowState;
}

/** A duration as Go prints it: `0s`, `850ms`, `17.4s`, `1m0s`, `1h0m0.5s`. Clients of the chat protocol parse exactly this. */
export function goDuration(durationMs: number): string {
  const total = Math.max(0, Math.ceil(durationMs));
  if (total === 0) return '0s';
  if (total < 1_000) return `${total}ms`;
  const hours = Math.floor(total / HOUR_MS);
  const minutes = Math.floor(total / 60_000) % 60;
  const seconds = `${(total % 60_000) / 1_000}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}

/** RFC 3339, whole seconds, rounded up: a client that waits until then must find room. */
export function rfc3339(atMs: number): string {
  return new Date(Math.ceil(atMs / 1_000) * 1_000).toISOString().replace('.000Z', 'Z');
}

/** `x-ratelimit-*`: chat, responses, embeddings, audio. One literal, since every answer has them. */
export function chatRateHeaders(windows: RateWindows): Record<string, string> {
  const requests = shownState(windows.requests);
  const tokens = shownState(windows.tokens);
  return {
    'x-ratelimit-limit-requests': String(requests.limit),
    'x-ratelimit-remaining-requests': String(requests.remaining),
    'x-ratelimit-reset-requests': goDuration(requests.resetMs),
    'x-ratelimit-limit-tokens': String(tokens.limit),
    'x-ratelimit-remaining-tokens': String(tokens.remaining),
    'x-ratelimit-reset-tokens': goDuration(tokens.resetMs),
  };
}

/** `anthropic-ratelimit-*`: messages. */
export function messagesRateHeaders(windows: RateWindows, nowMs: number): Record<string, string> {
  return {
    ...messagesTriple('requests', shownState(windows.requests), nowMs),
    ...messagesTriple('tokens', shownState(windows.tokens), nowMs),
  };
}

/**
 * `Retry-After` is whole seconds, the exact wait stands beside it, and both say what the body says. Windows of the model API are a
 * minute long, so there it is 1–60; signing in may ask for more.
 */
export function retryHeaders(retryAfterMs: number): Record<string, string> {
  const exact = Math.max(1, Math.ceil(retryAfterMs));
  return {
    'retry-after': String(Math.ceil(exact / 1_000)),
    'retry-after-ms': String(exact),
  };
}

function messagesTriple(what: string, state: WindowState, nowMs: number): Record<string, string> {
  return {
    [`anthropic-ratelimit-${what}-limit`]: String(state.limit),
    [`anthropic-ratelimit-${what}-remaining`]: String(state.remaining),
    [`anthropic-ratelimit-${what}-reset`]: rfc3339(nowMs + state.resetMs),
  };
}
