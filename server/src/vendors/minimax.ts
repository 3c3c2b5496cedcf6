import type { Vendor } from './vendor.ts';

/** MiniMax serves its models in the Messages protocol too, which carries their thinking without loss. */
export const minimax: Vendor = {
  id: 'minimax',
  name: { fa: 'مینی‌مکس', en: 'MiniMax' },
  protocol: 'anthropic-messages',
  baseUrl: 'https://api.minimax.io/anthropic',
  auth: 'x-api-key',
  keyEnv: ['MINIMAX_API_KEY'],
  baseUrlEnv: 'MINIMAX_BASE_URL',
  quirks: {},
};
