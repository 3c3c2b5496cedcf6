import type { getOwnAlerts } from '@dargah/api/admin/outages.ts';
import type { Result } from '../../../api/call.ts';

export type OwnAlerts = Result<typeof getOwnAlerts>;
