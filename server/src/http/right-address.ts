/** Where a client with a wrong base address meant to go: `/v1/messages`, `/api/v1/v1/models`, `/openai/chat/completions`. */
import { ENDPOINTS } from '@dargah/core/endpoints.ts';
import { GatewayError } from '../core/errors.ts';
import { reasons } from '../core/reasons.ts';
import { withoutTrailing } from '../core/trailing.ts';
import { isGeminiUrl, methodIn } from './gemini-address.ts';

/**
 * Addresses without an id, longer ones first, because shorter ones are the end of some of them. Of `requests` only single ones are
 * served, and those of Gemini name their model; the last five belong to endpoints of other names.
 */
const ADDRESSES = [
  ...ENDPOINTS.filter((name) => name !== 'requests' && !name.startsWith('gemini.')),
  'conversations',
  'responses.input_tokens',
  'responses.compact',
  'credits',
  'messages.batches',
]
  .map((name) => name.replaceAll('.', '/'))
  .sort((one, other) => other.length - one.length);
const MAX_ADDRESS_CHARS = 512;
const BASE = '/api/v1/';

export function notFoundAt(url: string): GatewayError {
  const path = withoutTrailing(url.slice(0, MAX_ADDRESS_CHARS).split('?')[0] ?? '', '/');
  const meant = meantForGemini(path);
  if (meant !== undefined)
    return new GatewayError('not_found', {
      reason: reasons.wrongBaseAddress(meant, '/api'),
      detail: { correct_path: meant },
    });
  const right = rightAddress(path);
  if (right === undefined) return nothingAt(path);
  // Clients of the messages protocol add the version themselves.
  const base = right.startsWith('/api/v1/messages') ? '/api' : '/api/v1';
  return new GatewayError('not_found', {
    reason: reasons.wrongBaseAddress(right, base),
    detail: { correct_path: right },
  });
}

/** Gemini's clients add the version and the model themselves. */
function meantForGemini(path: string): string | undefined {
  const at = path.lastIndexOf('/models/');
  if (at === -1 || methodIn(path) === undefined) return undefined;
  const right = `/api/v1beta${path.slice(at)}`;
  return right === path || isGeminiUrl(path) ? undefined : right;
}

/** Clients call what other services have (uploads, assistants, videos): the error tells them what exists instead. */
function nothingAt(path: string): GatewayError {
  const available = availableNear(path);
  if (available.length === 0) return new GatewayError('not_found');
  return new GatewayError('not_found', {
    reason: reasons.availableAddresses(available.join(', ')),
    detail: { available },
  });
}

/**
 * Addresses that share a word with this one, else all of them; none outside the API and where only the method is wrong.
 */
function availableNear(path: string): string[] {
  if (!path.startsWith(BASE)) return [];
  const asked = path.slice(BASE.length);
  if (ADDRESSES.includes(asked)) return [];
  const words = new Set(wordsOf(asked));
  const near = ADDRESSES.filter((address) => wordsOf(address).some((word) => words.has(word)));
  return (near.length > 0 ? near : ADDRESSES).map((address) => BASE + address).sort();
}

function wordsOf(address: string): string[] {
  return address.split(/[/_-]/);
}

function rightAddress(path: string): string | undefined {
  const endpoint = ADDRESSES.find((name) => path.endsWith(`/${name}`));
  const right = endpoint && `/api/v1/${endpoint}`;
  // The right address with a method that is not served there is not a wrong address.
  return right === path ? undefined : right;
}
