/** What shared admission is made of, and its times. */
import type { Clock } from '../../core/clock.ts';
import type { RedisClient } from '../../platform/redis/index.ts';
import type { LoadPosted } from '../admission.ts';

export interface RedisAdmissionOptions {
  /** A client of its own, which `close` ends, unless it is shared. */
  redis: RedisClient;
  isClientShared?: boolean;
  /** When the counters move to another node, everything that the first had not passed on counts as lost (ADR 0082). */
  isCluster?: boolean;
  clock: Clock;
  /** Stable and different for every replica. */
  replicaId: string;
  loadPosted: LoadPosted;
  /** The braces keep all keys on one node of a cluster, which a script over many keys needs. */
  keyPrefix?: string;
  /** How long a request waits for Redis. */
  deadlineMs: number;
  heartbeatMs?: number;
  heartbeatEveryMs?: number;
  /**
   * How long every replica stays on its leases after Redis came back empty; longer than a heartbeat, so that all have noticed.
   */
  settleMs?: number;
  /** All replicas together lease one in so many parts of what is left. */
  leasedPart?: number;
  /** How long a request waits for what other replicas have leased. */
  leaseWaitMs?: number;
  /** `redis`: the server's clock decides, one for all replicas. `given`: `clock` does (tests). */
  time?: 'redis' | 'given';
  onMode?: (mode: 'redis' | 'degraded', reason?: unknown) => void;
}
