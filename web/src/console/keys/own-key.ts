/** A key of the account, and what the rule tester says of it. */
import type { listKeys } from '@dargah/api/console/keys.ts';
import type { testKey } from '@dargah/api/console/test-key.ts';
import type { Result } from '../../api/call.ts';

export type Key = Result<typeof listKeys>['data'][number];
export type Verdicts = Result<typeof testKey>['rules'];
