/**
 * Admission shared by all replicas through Redis: exact while Redis answers, from leases while it does not (leased-share.ts
 * states the bound), never unlimited. Redis holds nothing that cannot be rebuilt: `posted` comes from the ledger,
 * `outstanding` from the memory of each replica. It must not evict keys (`maxmemory-policy noeviction`).
 */
import { randomBytes } from 'node:crypto';
import type { Money } from '../../core/money.ts';
import type { RedisClient } from '../../platform/redis/index.ts';
import type * as port from '../admission.ts';
import { LedgerRefresh } from '../ledger-refresh.ts';
import { type Posted, PostedLoader } from '../posted-loader.ts';
import { AdmissionUnavailable } from '../unavailable.ts';
import { CallBatcher, type DecideReply } from './call-batcher.ts';
import { DeadIncarnations } from './dead-incarnations.ts';
import { LeasedShare } from './leased-share.ts';
import { Leases } from './leases.ts';
import { LimitReadings } from './limit-readings.ts';
import type { RedisAdmissionOptions } from './options.ts';
import { ChangeOutbox } from './outbox.ts';
import { OwnCounts } from './own-counts.ts';
import type { Change, SharedReservation } from './packing.ts';
import { RedisHold } from './redis-hold.ts';
import { registerReplica } from './registration.ts';
import { ReplicaMembership } from './replica-membership.ts';
import { grantedResult, refusedResult } from './reserve-results.ts';
import { ScriptCalls } from './script-calls.ts';

/** A budget to load, a join and a name that changed meanwhile cost one more try each; more tries than this mean a fault. */
const MAX_TRIES = 6;
/** How long a start waits for Redis: without it nothing is leased yet, so nothing that is limited could be granted. */
const FIRST_CONNECTION_MS = 5_000;
/** All replicas together lease one in so many parts of what is left. */
const LEASED_PART = 4;
/** A request that needs what others have leased waits for their next heartbeats: at most until they would count as dead. */
const LEASE_WAIT_MS = 12_000;
const WAIT_MS = 100;
/** Twelve characters: the length of a replica's label in the scripts. */
const uniqueName = (): string => randomBytes(9).toString('base64url');

export function createRedisAdmission(options: RedisAdmissionOptions): port.Admission {
  return new RedisAdmission(options);
}

export class RedisAdmission implements port.Admission {
  readonly #calls: ScriptCalls;
  readonly #own = new OwnCounts();
  readonly #membership: ReplicaMembership;
  readonly #outbox: ChangeOutbox;
  readonly #batcher: CallBatcher;
  readonly #loader: PostedLoader;
  readonly #refresh: LedgerRefresh;
  readonly #leases: Leases;
  readonly #deadIncarnations: DeadIncarnations;
  readonly #readings: LimitReadings;
  readonly #maxWaits: number;
  readonly #redis: RedisClient;
  readonly #disconnects: boolean;
  readonly #isCluster: boolean;
  readonly #granting: Parameters<typeof grantedResult>[2];
  readonly #onReady = (): void => {
    this.#membership.join().catch(() => undefined);
  };
  #share: LeasedShare;
  #starting: Promise<void> | undefined;

  constructor(options: RedisAdmissionOptions) {
    const { redis, clock, replicaId, loadPosted, onMode } = options;
    this.#redis = redis;
    this.#disconnects = options.isClientShared !== true;
    this.#isCluster = options.isCluster === true;
    this.#maxWaits = (options.leaseWaitMs ?? LEASE_WAIT_MS) / WAIT_MS;
    const { heartbeatMs = 10_000, leasedPart = LEASED_PART } = options;
    this.#calls = new ScriptCalls({
      redis,
      prefix: options.keyPrefix ?? '{dargah}:',
      deadlineMs: options.deadlineMs,
      heartbeatMs,
      now: options.time === 'given' ? () => String(clock.now()) : () => '',
      isCluster: this.#isCluster,
    });
    this.#deadIncarnations = new DeadIncarnations({ calls: this.#calls, loadPosted });
    this.#membership = new ReplicaMembership({
      replicaId,
      calls: this.#calls,
      clock,
      uniqueName,
      heartbeatEveryMs: options.heartbeatEveryMs ?? 1_000,
      settleMs: options.settleMs ?? 2_500,
      firstRetryMs: 50,
      slowestRetryMs: 2_000,
      register: (incarnation, joined) => {
        const replica = { calls: this.#calls, own: this.#own, outbox: this.#outbox };
        return registerReplica(replica, incarnation, joined, this.#membership.now());
      },
      onHeartbeat: (incarnation) => {
        const parts = leasedPart * this.#membership.replicas;
        const stillIn = (): boolean => this.#membership.shared && this.#membership.incarnation === incarnation;
        return this.#leases.renew(incarnation, parts, this.#membership.now(), stillIn);
      },
      drop: (names, incarnation) => this.#deadIncarnations.drop(names, incarnation),
      onDegraded: (reason) => {
        this.#share = cutOff();
        onMode?.('degraded', reason);
      },
      onShared: () => {
        this.#leases.reset();
        this.#batcher.changesWait();
        onMode?.('redis');
      },
    });
    this.#outbox = new ChangeOutbox(this.#calls.keyOf, () => this.#batcher.changesWait());
    this.#batcher = new CallBatcher({
      calls: this.#calls,
      membership: this.#membership,
      outbox: this.#outbox,
      onLate: (request, reply) => this.#undo(request, reply),
    });
    const onNew = (): void => this.#membership.lookSoon();
    this.#leases = new Leases({ calls: this.#calls, own: this.#own, outbox: this.#outbox, onNew });
    this.#granting = { own: this.#own, leases: this.#leases, outbox: this.#outbox };
    const cutOff = (): LeasedShare => {
      const { lastHeartbeatMs, replicas } = this.#membership;
      return new LeasedShare({ own: this.#own, clock, lastHeartbeatMs, replicas });
    };
    this.#share = cutOff();
    this.#loader = new PostedLoader(loadPosted, (rows) => this.#accept(rows));
    this.#readings = new LimitReadings({
      calls: this.#calls,
      membership: this.#membership,
      loader: this.#loader,
      own: this.#own,
      share: () => this.#share,
      started: () => this.#starting,
    });
    this.#refresh = new LedgerRefresh((ids) => this.#loader.load(ids));
    this.#starting = this.#start().finally(() => {
      this.#starting = undefined;
    });
    redis.on('ready', this.#onReady);
  }

  async reserve(request: port.ReserveRequest): Promise<port.ReserveResult> {
    if (this.#starting !== undefined) await this.#starting;
    let waits = 0;
    for (let tries = 0; tries < MAX_TRIES + waits; tries++) {
      while (this.#membership.registering !== undefined) await this.#membership.registering;
      if (!this.#membership.shared) return this.#reserveFromLease(request);
      const result = await this.#reserveShared(waits < this.#maxWaits ? request : { ...request, final: true });
      if (result === 'leased') {
        waits++;
        // The lease that is given back here reaches Redis with the next call, before the reservation.
        if (!this.#leases.giveBack(request.checks)) await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
      } else if (result !== undefined) return result;
    }
    throw new AdmissionUnavailable('undecided', 'no decision after several tries');
  }

  settle(hold: port.Hold, actual: { spent: Money; tokens: number | undefined }): void {
    if (hold instanceof RedisHold) hold.settle(actual.spent, actual.tokens);
  }

  posted(updates: port.PostedUpdate[]): void {
    for (const update of updates) {
      this.#loader.report(update.budget, update.posted, update.version);
      this.#outbox.posted(update);
      const outstanding = this.#own.knownBudget(update.budget)?.outstanding;
      if (outstanding === undefined) continue;
      const before = outstanding.total;
      outstanding.release(update.release);
      this.#outbox.hold(update.budget, outstanding.total - before);
    }
  }

  windows(checks: port.WindowCheck[]): Promise<Map<string, port.WindowState>> {
    return this.#readings.windows(checks);
  }

  budgets(checks: port.BudgetCheck[]): Promise<Map<string, port.BudgetState>> {
    return this.#readings.budgets(checks);
  }

  health(): port.AdmissionHealth {
    const replicas = this.#membership.replicas;
    if (this.#membership.shared) return { mode: 'redis', replicas };
    return { mode: 'degraded', since: this.#membership.since, replicas };
  }

  /** True when this replica has taken from the budget or asked for it lately. */
  knows(budget: string): boolean {
    return this.#own.knownBudget(budget) !== undefined;
  }

  async close(): Promise<void> {
    this.#redis.off('ready', this.#onReady);
    await this.#starting;
    await this.#batcher.drain();
    // What is settled and not posted keeps counting until the next incarnation of this replica has posted it from the
    // journal.
    await this.#membership.close(!this.#own.unposted);
    if (this.#disconnects) this.#redis.disconnect();
  }

  async recovered(): Promise<void> {
    if (this.#starting !== undefined) await this.#starting;
    // Posted balances go first: the other way round, the charges of former incarnations would count nowhere for a moment.
    await this.#batcher.drain();
    await this.#membership.forgetFormerIncarnations();
  }

  async replicas(): Promise<port.ReplicaState[]> {
    await this.#membership.look();
    const living = this.#membership.living().map((id): port.ReplicaState => ({ id, living: true }));
    return [...living, ...(await this.#deadIncarnations.survey(this.#membership.missing(), this.#membership.now()))];
  }

  missingReplicas(): port.MissingReplica[] {
    return this.#membership.missing().map(({ id, since }) => ({ id, since }));
  }

  livingReplicas(): readonly string[] {
    return this.#membership.living();
  }

  forgetReplica(id: string): Promise<boolean> {
    return this.#membership.forget(id);
  }

  async #start(): Promise<void> {
    if (this.#redis.status !== 'ready') {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, FIRST_CONNECTION_MS);
        this.#redis.once('ready', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    await this.#membership.join();
    // The client of a cluster is ready when one node has answered; this partition's may come a moment later.
    for (let left = FIRST_CONNECTION_MS; this.#isCluster && !this.#membership.shared && left > 0; left -= WAIT_MS) {
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
      await this.#membership.join();
    }
  }

  /** Undefined when the reservation must be tried again. `leased` when other replicas will give back what it needs. */
  async #reserveShared(request: SharedReservation): Promise<port.ReserveResult | 'leased' | undefined> {
    // Counters are created before the reservation, so that a full table refuses while nothing is taken yet.
    const nowMs = this.#membership.now();
    for (const check of request.checks) if (check.kind === 'budget') this.#own.budget(check.id, nowMs);
    const reply = await this.#batcher.reserve(request);
    if (reply === undefined) return undefined;
    const { incarnation, answer } = reply;
    if (answer.kind === 'missing') {
      await this.#loader.load(answer.checks.map((index) => (request.checks[index] as port.LimitCheck).id));
      return undefined;
    }
    if (answer.kind === 'unknown') {
      this.#membership.lost(incarnation, new Error('Redis does not know this replica'));
      return undefined;
    }
    if (incarnation !== this.#membership.incarnation) {
      // The reservation was counted under a name that counts no more.
      this.#undo(request, reply);
      return undefined;
    }
    if (answer.kind === 'leased') return 'leased';
    this.#keepFresh(request.checks, answer.now);
    if (answer.kind === 'reserved') return grantedResult(request, answer, this.#granting);
    const refusal = refusedResult(request, answer);
    this.#askAgain(refusal.failed, answer.now);
    return refusal;
  }

  #reserveFromLease(request: port.ReserveRequest): port.ReserveResult {
    const share = this.#share;
    const nowMs = this.#membership.now();
    const owned = request.checks.flatMap((check) =>
      check.kind === 'budget' ? [this.#own.budget(check.id, nowMs)] : [],
    );
    const result = share.reserve(request, nowMs);
    if (!result.ok) return result;
    const hold = new RedisHold(request.requestId, result.hold.amount, this.#outbox, { share, hold: result.hold });
    for (const budget of owned) hold.addBudget(budget);
    for (const check of request.checks) {
      if (check.kind === 'window') {
        hold.addWindow(this.#own.window(check, nowMs), check.amount, nowMs, check.name === 'key-tokens');
      }
    }
    return { ...result, hold };
  }

  #keepFresh(checks: port.LimitCheck[], nowMs: number): void {
    for (const check of checks)
      if (check.kind === 'budget') this.#refresh.whenOld(this.#own.budget(check.id, nowMs), nowMs);
  }

  /** A refusal for want of money may rest on an old balance, because the message about a top-up can get lost. */
  #askAgain(failed: port.LimitCheck, nowMs: number): void {
    if (failed.kind === 'budget') this.#refresh.soon(this.#own.budget(failed.id, nowMs), nowMs);
  }

  /** Undoes a reservation that nobody waits for any more: its windows are given back; its holds end with the old name. */
  #undo(request: port.ReserveRequest, { answer, memory }: DecideReply): void {
    if (answer.kind !== 'reserved' || memory !== this.#membership.memory) return;
    const second = Math.floor(answer.now / 1_000);
    for (const check of request.checks) {
      if (check.kind === 'window') this.#outbox.correct({ window: check.id, second, delta: -check.amount });
    }
  }

  async #accept(rows: Map<string, Posted>): Promise<void> {
    const nowMs = this.#membership.now();
    for (const id of rows.keys()) this.#own.budget(id, nowMs).refreshedAt = nowMs;
    if (!this.#membership.shared) return;
    const { incarnation } = this.#membership;
    const changes = [...rows].map(([id, { posted, version }]): Change => {
      return { kind: 'loaded', key: this.#calls.keyOf('budget', id), posted, version };
    });
    // After a failure the next try finds this replica cut off, or asks again.
    await this.#calls
      .decide(incarnation, changes, [])
      .catch((error: unknown) => this.#membership.lost(incarnation, error));
  }
}
