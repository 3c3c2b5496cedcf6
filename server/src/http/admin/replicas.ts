/** The replicas that share limits: which are alive, and which are written off. */

import { forgetReplica, listReplicas } from '@dargah/api/admin/replicas.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { Admission, ReplicaState } from '../../admission/index.ts';
import { GatewayError } from '../../core/errors.ts';
import { toTomanText } from '../../core/money.ts';
import type { RecordChange } from '../../platform/audit-log.ts';
import type { Queryable } from '../../platform/db/index.ts';
import type { Register } from '../routes/register.ts';

export function replicas(
  register: Register,
  admission: Pick<Admission, 'replicas' | 'forgetReplica'>,
  record: RecordChange,
  db: Queryable,
): void {
  register(listReplicas, async () => page((await admission.replicas()).map(replicaResponse), null));
  register(forgetReplica, async ({ params, actor }) => {
    const id = String(params['id']);
    if (!(await admission.forgetReplica(id))) throw new GatewayError('not_found');
    await record(db, actor, 'replica.forget', id, {});
    return { id, forgotten: true };
  });
}

function replicaResponse(replica: ReplicaState) {
  const { id, living } = replica;
  if (living) return { id, living, missing_since: null, outstanding: null, wallets: null };
  const { since, outstanding, wallets } = replica;
  return { id, living, missing_since: new Date(since).toISOString(), outstanding: toTomanText(outstanding), wallets };
}
