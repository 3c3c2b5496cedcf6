/** A key of the account. */
import type { listKeys } from '@dargah/api/console/keys.ts';
import type { Result } from '../../api/call.ts';

export type Key = Result<typeof listKeys>['data'][number];
