/** Keyset pages, newest first: a page costs the same wherever it is, and new rows never shift the next page. */

export interface PageRequest {
  /** Where the previous page ended: its `next`. */
  after?: string | undefined;
  limit?: number | undefined;
}

export interface Page<T> {
  items: T[];
  /** For the next page; null on the last. */
  next: string | null;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

export interface PageStart {
  /** Parameters for `(created_at, id) < ($n, $n+1)`; null on the first page. */
  time: Date | null;
  id: string | null;
  /** Reads one row more than is shown, to learn whether there is a next page. */
  fetch: number;
}

/** Undefined when `after` was not made by `toPage`. */
export function startOfPage({ after, limit = DEFAULT_LIMIT }: PageRequest): PageStart | undefined {
  const fetch = Math.min(Math.max(1, Math.trunc(limit)), MAX_LIMIT) + 1;
  if (after === undefined) return { time: null, id: null, fetch };
  const match = /^(\d{1,15})\.(.{1,200})$/.exec(Buffer.from(after, 'base64url').toString());
  if (!match) return undefined;
  return { time: new Date(Number(match[1])), id: match[2] ?? '', fetch };
}

export function toPage<T>(rows: T[], start: PageStart, place: (row: T) => { time: Date; id: string }): Page<T> {
  const items = rows.slice(0, start.fetch - 1);
  const last = items.at(-1);
  if (rows.length < start.fetch || last === undefined) return { items, next: null };
  const { time, id } = place(last);
  return { items, next: placeOf(time, id) };
}

/** A place in a list that goes by time, as `startOfPage` reads it. */
export function placeOf(time: Date, id: string): string {
  return Buffer.from(`${time.getTime()}.${id}`).toString('base64url');
}
