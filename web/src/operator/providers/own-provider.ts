/** A provider as staff sees it, and what is read again when one changes. */
import type { listProviders } from '@dargah/api/admin/providers.ts';
import type { Result } from '../../api/call.ts';

export type Provider = Result<typeof listProviders>['data'][number];
export const STALE = [
  'GET /api/admin/providers',
  'GET /api/admin/providers/:id/uses',
  'GET /api/admin/routes/health',
  'GET /api/admin/models',
];
