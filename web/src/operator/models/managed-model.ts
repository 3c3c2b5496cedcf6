/** A model and its routes, as operators see them. */
import type { listManagedModels } from '@dargah/api/admin/models.ts';
import type { Result } from '../../api/call.ts';

export type Model = Result<typeof listManagedModels>['data'][number];
export type Route = Model['routes'][number];
