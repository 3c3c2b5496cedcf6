/** Public pages whose text the operator writes. Plain data: the console imports it too. */
export const SITE_PAGES = ['terms', 'privacy', 'contact'] as const;
export type SitePage = (typeof SITE_PAGES)[number];

/** The longest text of one page in one language; a long contract is shorter. */
export const MAX_SITE_TEXT = 60_000;
