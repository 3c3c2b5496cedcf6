/** Where a person mends what an error says: the path of a page of ours. */
import type { ErrorCode } from './error-registry.ts';
import type { GatewayError } from './errors.ts';

const WALLET = '/console/wallet';
const STATUS = '/status';

/** 'rule': the page of the key or of the account, whichever has the rule that refused. */
const REMEDIES: Partial<Record<ErrorCode, string>> = {
  invalid_api_key: '/console/keys',
  insufficient_balance: WALLET,
  spend_cap_reached: 'rule',
  key_paused: 'rule',
  key_expired: 'rule',
  ip_not_allowed: 'rule',
  endpoint_not_allowed: 'rule',
  model_not_allowed: 'rule',
  model_not_found: '/models',
  rate_limited: 'rule',
  upstream_error: STATUS,
  upstream_timeout: STATUS,
};

export function remedyPath({ code, options }: GatewayError, keyId: string | undefined): string | undefined {
  const remedy = REMEDIES[code];
  if (remedy !== 'rule') return remedy;
  if (options.ruleOf === 'account') return '/console/limits';
  return keyId === undefined ? '/console/keys' : `/console/keys/${encodeURIComponent(keyId)}`;
}
