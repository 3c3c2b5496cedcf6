/** Maps changes on the server to reads that are now stale; only those on the screen are repeated at once. */

import type { followAccount } from '@dargah/api/console/live.ts';
import type { QueryClient } from '@tanstack/react-query';
import type { Result } from './call.ts';

export type LiveChange = Result<typeof followAccount>;
type Thing = Exclude<LiveChange['what'], 'everything'>;
/** The addresses of the reads that show a thing. */
export type ShownBy = Readonly<Partial<Record<Thing, readonly string[]>>>;

export function forgetChanged(client: QueryClient, shownBy: ShownBy, { what, id }: LiveChange): void {
  if (what === 'everything') {
    void client.invalidateQueries();
    return;
  }
  for (const address of shownBy[what] ?? [])
    void client.invalidateQueries({
      queryKey: [address],
      predicate: ({ queryKey }) => id === null || isAbout(queryKey[2], id),
    });
}

/** A read of one thing, by the id in its address, is not affected by changes of others. */
function isAbout(params: unknown, id: string): boolean {
  const own = (params as { id?: string } | null)?.id;
  return own === undefined || own === id;
}
