/** What is out now: asked once, shown on several pages and counted in the navigation. */
import type { listOutages } from '@dargah/api/admin/outages.ts';
import type { Result } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';

export type Outage = Result<typeof listOutages>['data'][number];
export const OUTAGES = 'GET /api/admin/outages';

export function useOpenOutages(): Outage[] | undefined {
  return useRead<typeof listOutages>(OUTAGES, { query: { limit: 1 } }).data?.open;
}
