import type { getReceipt } from '@dargah/api/console/usage.ts';
import type { Result } from '../../api/call.ts';

export type Receipt = Result<typeof getReceipt>;
