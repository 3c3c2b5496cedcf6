/** Refusals that routes of keys have in common, beyond those of every endpoint. */
import type { ErrorCode } from '@dargah/core/error-registry.ts';

export const RULES: readonly ErrorCode[] = ['key_expired', 'ip_not_allowed', 'endpoint_not_allowed'];
export const PAID: readonly ErrorCode[] = [
  ...RULES,
  'insufficient_balance',
  'spend_cap_reached',
  'model_not_allowed',
  'price_above_limit',
  'data_policy_unmet',
  'own_key_refused',
  'not_for_sale',
  'model_not_found',
  'upstream_error',
  'upstream_timeout',
];
