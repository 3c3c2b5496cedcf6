/** Public pages whose text the operator writes. Plain data: the console imports it too. */
export const SITE_PAGES = ['terms', 'privacy', 'contact'] as const;
export type SitePage = (typeof SITE_PAGES)[number];

/** Of one text in one language: a long contract has fewer. */
export const MAX_SITE_TEXT = 60_000;
