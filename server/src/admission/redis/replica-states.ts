/** What the partitions of a cluster know of the replicas, as one list. */
import { money, ZERO } from '../../core/money.ts';
import type { ReplicaState } from '../admission.ts';

type Dead = Extract<ReplicaState, { living: false }>;

/** A replica that lives for one partition lives. What the dead ones left in each partition adds up; no wallet is in two of them. */
export function mergedReplicas(partitions: readonly (readonly ReplicaState[])[]): ReplicaState[] {
  const living = new Set<string>();
  const dead = new Map<string, Dead>();
  for (const replica of partitions.flat()) {
    if (replica.living) living.add(replica.id);
    else dead.set(replica.id, added(dead.get(replica.id), replica));
  }
  const left = [...dead.values()].filter(({ id }) => !living.has(id));
  const byId = (a: ReplicaState, b: ReplicaState): number => (a.id < b.id ? -1 : 1);
  return [...[...living].map((id): ReplicaState => ({ id, living: true })).sort(byId), ...left.sort(byId)];
}

function added(before: Dead | undefined, more: Dead): Dead {
  const { outstanding = ZERO, wallets = 0, since = 0 } = before ?? {};
  return {
    ...more,
    since: Math.max(since, more.since),
    outstanding: money(outstanding + more.outstanding),
    wallets: wallets + more.wallets,
  };
}
