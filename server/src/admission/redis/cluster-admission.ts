/**
 * Shared admission over a cluster of Redis: one shared count per partition (partitions.ts), each with its own members, epoch, leases
 * and calls, as if it were a Redis of its own. So the death of a node is the death of Redis for the accounts of its partitions, and
 * nothing for all others. No reservation spans partitions: all its counters are of one home.
 */
import type { Money } from '../../core/money.ts';
import type { RedisClient } from '../../platform/redis/index.ts';
import type * as port from '../admission.ts';
import type { RedisAdmissionOptions } from './options.ts';
import { PARTITION_TAGS, PARTITIONS, partitionOf } from './partitions.ts';
import { RedisAdmission } from './redis-admission.ts';
import { mergedReplicas } from './replica-states.ts';

const WALLET = 'wallet:';
/** Listeners on the client: each partition adds two at its start, and `ioredis` a few of its own. */
const LISTENERS_PER_PARTITION = 3;

/** `keyPrefix` comes after the hash tag. */
export function createClusterAdmission(options: RedisAdmissionOptions): port.Admission {
  return new ClusterAdmission(options);
}

class ClusterAdmission implements port.Admission {
  readonly #partitions: readonly RedisAdmission[];
  readonly #redis: RedisClient;

  constructor(options: RedisAdmissionOptions) {
    const { redis, keyPrefix = '', onMode } = options;
    this.#redis = redis;
    redis.setMaxListeners(LISTENERS_PER_PARTITION * PARTITIONS);
    const modes = new Modes(onMode);
    this.#partitions = PARTITION_TAGS.map(
      (tag, partition) =>
        new RedisAdmission({
          ...options,
          keyPrefix: `{${tag}}:${keyPrefix}`,
          isClientShared: true,
          isCluster: true,
          onMode: (mode, reason) => modes.changed(partition, mode, reason),
        }),
    );
  }

  reserve(request: port.ReserveRequest): Promise<port.ReserveResult> {
    const home = request.checks[0]?.home ?? '';
    for (const check of request.checks)
      if (check.home !== home) throw new Error(`a reservation of ${home} over a counter of ${check.home}`);
    return this.#of(home).reserve(request);
  }

  /** A hold knows the partition that it was taken in. */
  settle(hold: port.Hold, actual: { spent: Money; tokens: number | undefined }): void {
    this.#partitions[0]?.settle(hold, actual);
  }

  /**
   * The ledger names budgets, not accounts. What this replica holds it has taken, so its partition knows it. Of other caps nothing is
   * told: whoever uses one hears the same news, and who uses it next reads it from the ledger.
   */
  posted(updates: port.PostedUpdate[]): void {
    for (const update of updates) {
      const { budget } = update;
      const known = this.#partitions.find((partition) => partition.knows(budget));
      const counts = known ?? (budget.startsWith(WALLET) ? this.#of(budget.slice(WALLET.length)) : undefined);
      counts?.posted([update]);
    }
  }

  windows(checks: port.WindowCheck[]): Promise<Map<string, port.WindowState>> {
    return this.#read(checks, (partition, some) => partition.windows(some));
  }

  budgets(checks: port.BudgetCheck[]): Promise<Map<string, port.BudgetState>> {
    return this.#read(checks, (partition, some) => partition.budgets(some));
  }

  /** Degraded as soon as one partition is. */
  health(): port.AdmissionHealth {
    const all = this.#partitions.map((partition) => partition.health());
    const replicas = Math.max(...all.map((health) => health.replicas));
    const since = all.flatMap((health) => (health.since === undefined ? [] : [health.since]));
    return since.length === 0 ? { mode: 'redis', replicas } : { mode: 'degraded', since: Math.min(...since), replicas };
  }

  async recovered(): Promise<void> {
    await Promise.all(this.#partitions.map((partition) => partition.recovered()));
  }

  async replicas(): Promise<port.ReplicaState[]> {
    return mergedReplicas(await Promise.all(this.#partitions.map((partition) => partition.replicas())));
  }

  /** A replica that lives for one partition lives: it is cut off from the node of the other. */
  missingReplicas(): port.MissingReplica[] {
    const living = new Set(this.#partitions.flatMap((partition) => partition.livingReplicas()));
    const missing = new Map<string, port.MissingReplica>();
    for (const replica of this.#partitions.flatMap((partition) => partition.missingReplicas())) {
      const { since = 0 } = missing.get(replica.id) ?? {};
      if (!living.has(replica.id)) missing.set(replica.id, { id: replica.id, since: Math.max(since, replica.since) });
    }
    return [...missing.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Repeated after a failure it continues with the partitions that were left. */
  async forgetReplica(id: string): Promise<boolean> {
    const living = (await this.replicas()).some((replica) => replica.living && replica.id === id);
    if (living) return false;
    const forgotten = await Promise.all(this.#partitions.map((partition) => partition.forgetReplica(id)));
    return forgotten.includes(true);
  }

  async close(): Promise<void> {
    await Promise.all(this.#partitions.map((partition) => partition.close()));
    this.#redis.disconnect();
  }

  #of(home: port.Home): RedisAdmission {
    return this.#partitions[partitionOf(home)] as RedisAdmission;
  }

  async #read<Check extends port.LimitCheck, State>(
    checks: Check[],
    read: (partition: RedisAdmission, checks: Check[]) => Promise<Map<string, State>>,
  ): Promise<Map<string, State>> {
    const byHome = new Map<port.Home, Check[]>();
    for (const check of checks) byHome.set(check.home, [...(byHome.get(check.home) ?? []), check]);
    const states = await Promise.all([...byHome].map(([home, some]) => read(this.#of(home), some)));
    return new Map(states.flatMap((some) => [...some]));
  }
}

/** Says once that a partition is degraded, and once that all are back. */
class Modes {
  readonly #away = new Set(PARTITION_TAGS.keys());
  readonly #tell: RedisAdmissionOptions['onMode'];

  constructor(tell: RedisAdmissionOptions['onMode']) {
    this.#tell = tell;
  }

  changed(partition: number, mode: 'redis' | 'degraded', reason: unknown): void {
    if (mode === 'degraded') {
      if (this.#away.size === 0) this.#tell?.('degraded', reason);
      this.#away.add(partition);
    } else if (this.#away.delete(partition) && this.#away.size === 0) this.#tell?.('redis');
  }
}
