/**
 * What a page of the console reads when it opens. The server sends these answers along with the page, and the browser
 * caches them as if it had asked: on a slow line each later request costs a round trip.
 */
export interface FirstRead {
  /** Method and path, as the browser's calls name them. */
  address: string;
  /** The query exactly as the page sends it; undefined where it sends none. */
  query?: Readonly<Record<string, string | number>>;
}

export const ME_READ: FirstRead = { address: 'GET /api/console/me' };

/** What the frame around every page reads: the account, the wallet in the bar, and the keys that the palette finds. */
const OF_FRAME: readonly FirstRead[] = [
  { address: 'GET /api/console/account' },
  { address: 'GET /api/console/wallet' },
  { address: 'GET /api/console/keys', query: {} },
];

const DAY_MS = 86_400_000;

/** The first day of a chart over so many days, as the page asks the usage series for it. */
export function firstDayOf(days: number, nowMs: number): string {
  return new Date(nowMs - (days - 1) * DAY_MS).toISOString().slice(0, 10);
}

export const OVERVIEW_DAYS = 30;
export const OVERVIEW_REQUESTS = 6;

export function firstReads(path: string, nowMs: number): readonly FirstRead[] {
  const page = path.replace(/\/$/, '');
  if (page === '/console')
    return [
      ...OF_FRAME,
      { address: 'GET /api/console/announcements' },
      { address: 'GET /api/console/incidents' },
      {
        address: 'GET /api/console/usage/series',
        query: { interval: 'day', from: firstDayOf(OVERVIEW_DAYS, nowMs) },
      },
      { address: 'GET /api/console/requests', query: { limit: OVERVIEW_REQUESTS } },
    ];
  if (page === '/console/playground')
    return [
      ...OF_FRAME,
      { address: 'GET /api/console/models' },
      { address: 'GET /api/console/playground', query: { models: 'none' } },
      { address: 'GET /api/console/knowledge-bases', query: {} },
    ];
  return OF_FRAME;
}
