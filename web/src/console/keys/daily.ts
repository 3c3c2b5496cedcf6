import type { getKeySpend } from '@dargah/api/console/keys.ts';
import { useRead } from '../../api/read.ts';

/** What a key spent today, and of how much. */
export function useDaily(id: string) {
  const spend = useRead<typeof getKeySpend>('GET /api/console/keys/:id/spend', { params: { id } }).data;
  return spend?.spend.find(({ period }) => period === 'daily');
}
