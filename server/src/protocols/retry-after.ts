/** How long a provider asks us to wait, in whichever of its forms. */

/** A provider that asks for more is treated as asking for this; the breaker decides the rest. */
const MAX_WAIT_MS = 60 * 60 * 1000;

export function retryAfterMs(headers: Record<string, string>, message: string): number | undefined {
  const wait = fromMilliseconds(headers) ?? fromHeader(headers) ?? fromWords(message);
  return wait === undefined ? undefined : Math.min(Math.max(0, Math.round(wait)), MAX_WAIT_MS);
}

function fromMilliseconds(headers: Record<string, string>): number | undefined {
  return plainNumber(headers['retry-after-ms']);
}

function fromHeader(headers: Record<string, string>): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const seconds = plainNumber(text);
  if (seconds !== undefined) return seconds * 1000;
  // A date is compared with the answer's own date: both come from the same clock, so ours may be wrong.
  const until = Date.parse(text);
  const sent = Date.parse(headers['date'] ?? '');
  return Number.isNaN(until) || Number.isNaN(sent) ? undefined : until - sent;
}

/** "Please try again in 11.054s", "in 120ms", "in 1m30s". */
function fromWords(message: string): number | undefined {
  const match = /(?:try again|retry)[^.]{0,20}? in (?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)(ms|s))?/i.exec(message);
  if (!match || (match[1] === undefined && match[2] === undefined)) return undefined;
  const rest = Number(match[2] ?? 0) * (match[3]?.toLowerCase() === 'ms' ? 1 : 1000);
  return Number(match[1] ?? 0) * 60_000 + rest;
}

function plainNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
