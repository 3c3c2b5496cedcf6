/** Records an outage that a replica sees, once over all replicas. */
import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import { makeId, type RandomBytes } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Queryable } from '../../platform/db/index.ts';
import type { Severity } from '../event-kind.ts';
import type { OutageKind } from './outage-kinds.ts';
import { INSERT_OUTAGE, REOPEN_OUTAGE, SEE_OUTAGE } from './outage-rows.ts';

/** An outage that comes back within this time is the same one. */
const SAME_MS = 30 * MINUTE_MS;

/** An outage as a replica sees it now. */
export interface SeenOutage {
  kind: OutageKind;
  subject: string;
  severity: Severity;
  since: Date;
  share?: number;
  cause?: string | null;
  provider?: string | null;
  data?: JsonObject;
}

/** Records what is seen: a known outage, one that is back, or a new one. Replicas that see it at once make one row. */
export async function noteOutage(
  tx: Queryable,
  { kind, subject, severity, since, share = 0, cause, provider, data }: SeenOutage,
  tools: { nowMs: number; randomBytes: RandomBytes },
): Promise<void> {
  const now = new Date(tools.nowMs);
  const values = [kind, subject, severity, now, share, cause ?? null, provider ?? null, data ?? {}];
  const known = await SEE_OUTAGE.rows(tx, values);
  if (known.length > 0) return;
  const back = await REOPEN_OUTAGE.rows(tx, [...values, new Date(tools.nowMs - SAME_MS)]);
  if (back.length > 0) return;
  await INSERT_OUTAGE.run(tx, [...values, makeId('out', tools.nowMs, tools.randomBytes), since]);
}
