/**
 * The path of the page where a person can correct what an error reports. Plain data, because the console imports it
 * too.
 */

const WALLET = '/console/wallet';
const STATUS = '/status';

/** 'rule': the page of the key or of the account, depending on which of them has the rule that refused. */
const REMEDIES: Record<string, string> = {
  invalid_api_key: '/console/keys',
  insufficient_balance: WALLET,
  spend_cap_reached: 'rule',
  account_blocked: '/console/tickets',
  key_paused: 'rule',
  key_expired: 'rule',
  ip_not_allowed: 'rule',
  endpoint_not_allowed: 'rule',
  model_not_allowed: 'rule',
  price_above_limit: 'rule',
  data_policy_unmet: 'rule',
  own_key_refused: '/console/keys',
  model_not_found: '/catalog',
  rate_limited: 'rule',
  upstream_error: STATUS,
  upstream_timeout: STATUS,
};

/** `ruleOf`: whether the refusing rule belongs to the key or the account, where the error says. */
export function remedyPath(
  code: string,
  keyId: string | undefined,
  ruleOf: 'key' | 'account' = 'key',
): string | undefined {
  const remedy = REMEDIES[code];
  if (remedy !== 'rule') return remedy;
  if (ruleOf === 'account') return '/console/limits';
  return keyId === undefined ? '/console/keys' : `/console/keys/${encodeURIComponent(keyId)}`;
}
