/** Where a client with a wrong base address meant to go: `/v1/messages`, `/api/v1/v1/models`, `/openai/chat/completions`. */
import { ENDPOINTS } from '../core/endpoints.ts';
import { GatewayError } from '../core/errors.ts';
import { reasons } from '../core/reasons.ts';
import { withoutTrailing } from '../core/trailing.ts';

/**
 * Addresses without an id, longer ones first, because shorter ones are the end of some of them. Of `requests` only single ones are
 * served; conversations belong to the endpoint `responses`.
 */
const ADDRESSES = [...ENDPOINTS.filter((name) => name !== 'requests'), 'conversations']
  .map((name) => name.replaceAll('.', '/'))
  .sort((one, other) => other.length - one.length);
const LONGEST_ADDRESS = 512;

export function notFoundAt(url: string): GatewayError {
  const right = rightAddress(url);
  if (right === undefined) return new GatewayError('not_found');
  // Clients of the messages protocol add the version themselves.
  const base = right.startsWith('/api/v1/messages') ? '/api' : '/api/v1';
  return new GatewayError('not_found', {
    reason: reasons.wrongBaseAddress(right, base),
    detail: { correct_path: right },
  });
}

function rightAddress(url: string): string | undefined {
  const path = withoutTrailing(url.slice(0, LONGEST_ADDRESS).split('?')[0] ?? '', '/');
  const endpoint = ADDRESSES.find((name) => path.endsWith(`/${name}`));
  const right = endpoint && `/api/v1/${endpoint}`;
  // The right address with a method that is not served there is not a wrong address.
  return right === path ? undefined : right;
}
