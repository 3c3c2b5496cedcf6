/**
 * `data` of `GET /key`: the same key in the form of OpenRouter, whose SDK parses it strictly; what we do not have is
 * zero or null.
 */

import { toTomanNumber } from '../../core/money.ts';
import type { keyView } from '../../gateway/index.ts';
import type { KeyCharges } from '../../requestlog/index.ts';

const NO_CHARGE_OF_OWN_KEYS = {
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_weekly: 0,
  byok_usage_monthly: 0,
  include_byok_in_limit: false,
};
const NO_FREE_MODELS = { limit: 0, remaining: 0, used: 0 };
const UNLIMITED = -1;

type KeyView = Awaited<ReturnType<typeof keyView>>;

export function openrouterKey(view: KeyView, charged: KeyCharges) {
  const cap = tightestCap(view);
  const { expires_at: expires } = view as KeyView & { expires_at?: unknown };
  return {
    label: view.name,
    limit: cap ? Number(cap.limit) : null,
    limit_remaining: cap ? Number(cap.remaining) : null,
    limit_reset: cap && cap.period !== 'total' ? cap.period : null,
    usage: toTomanNumber(charged.total),
    usage_daily: toTomanNumber(charged.day),
    usage_weekly: toTomanNumber(charged.week),
    usage_monthly: toTomanNumber(charged.month),
    ...NO_CHARGE_OF_OWN_KEYS,
    expires_at: typeof expires === 'string' ? expires : null,
    is_free_tier: false,
    is_management_key: false,
    is_provisioning_key: false,
    creator_user_id: null,
    organization_id: null,
    workspace_id: null,
    allowed_data_regions: [],
    free_model_daily_requests: NO_FREE_MODELS,
    rate_limit: { requests: view.limits['requests']?.limit ?? UNLIMITED, interval: '1m', note: '' },
  };
}

function tightestCap({ caps }: KeyView): KeyView['caps'][number] | undefined {
  const own = caps.filter(({ scope }) => scope === 'key');
  return own.sort((one, other) => Number(one.remaining) - Number(other.remaining))[0];
}
