import type { getReceipt } from '@dargah/api/console/own-requests.ts';
import type { Result } from '../../api/call.ts';

export type Receipt = Result<typeof getReceipt>;
