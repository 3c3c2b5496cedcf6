/**
 * Is this replica part of the shared count? A replica is `shared` (Redis decides) or `degraded` (it decides by what it had leased).
 *
 * Any doubt makes it degraded at once: no answer in time, a broken connection, or a Redis that does not know it. The way
 * back is to join again under a NEW name: register everything this replica has outstanding under it, then drop the
 * old name. So whatever happened to calls whose answer was lost, they counted under a name that counts no more; a Redis
 * that lost everything and one that was only slow are treated alike.
 *
 * When Redis came back empty, the first to notice opens a new epoch and all stay degraded until it is settled, so that
 * nobody grants what another has not registered yet.
 */
import type { Clock } from '../../core/clock.ts';
import type { DeadReplica } from './dead-incarnations.ts';
import type { DeadIncarnation, IncarnationsSnapshot, Joined, ScriptCalls } from './script-calls.ts';

const MAX_FORMER_NAMES = 100;
const SOON_MS = 100;

export interface MembershipSettings {
  replicaId: string;
  calls: ScriptCalls;
  clock: Clock;
  /** Distinguishes one incarnation of a replica from the next; the end of its name, and its label in every budget. */
  uniqueName: () => string;
  heartbeatEveryMs: number;
  settleMs: number;
  firstRetryMs: number;
  slowestRetryMs: number;
  /** Tells Redis everything this replica holds, under the new name. */
  register(incarnation: string, joined: { everything: boolean; unsettled: boolean }): Promise<void>;
  /** After every heartbeat that Redis answered. False: it does not know this incarnation any more. */
  onHeartbeat(incarnation: string): Promise<boolean>;
  /** Ends the count of incarnations whose charges are in the ledger, or written off. */
  drop(names: string[], incarnation: string): Promise<void>;
  onDegraded(reason: unknown): void;
  onShared(): void;
}

export class ReplicaMembership {
  readonly #settings: MembershipSettings;
  #mode: 'shared' | 'degraded' = 'degraded';
  #incarnation = '';
  #former: string[] = [];
  #epoch: string | undefined;
  #memory: string | undefined;
  #replicas: string[] = [];
  #dead: DeadIncarnation[] = [];
  /** True when the ledger has everything that earlier incarnations of this replica charged. */
  #recovered = false;
  #skewMs = 0;
  #since: number;
  /** Monotonic time at which the last heartbeat that Redis answered was sent. */
  #lastHeartbeatMs: number | undefined;
  #retryMs: number;
  #timer: NodeJS.Timeout | undefined;
  #heartbeatScheduled = false;
  #joining: Promise<void> | undefined;
  #registering: Promise<unknown> | undefined;
  #dropping: Promise<void> | undefined;
  #closed = false;

  constructor(settings: MembershipSettings) {
    this.#settings = settings;
    this.#since = settings.clock.now();
    this.#retryMs = settings.firstRetryMs;
  }

  get shared(): boolean {
    return this.#mode === 'shared';
  }

  /** `<replica>#<unique>`: a replica that joins again counts under a new name. */
  get incarnation(): string {
    return this.#incarnation;
  }

  /** The epoch of the last registration that was begun: what Redis did before in another one it has forgotten. */
  get memory(): string | undefined {
    return this.#memory;
  }

  get since(): number {
    return this.#since;
  }

  get lastHeartbeatMs(): number | undefined {
    return this.#lastHeartbeatMs;
  }

  get replicas(): number {
    return Math.max(1, this.#replicas.length);
  }

  /** Redis' time, as well as it is known here. */
  now(): number {
    return this.#settings.clock.now() + this.#skewMs;
  }

  /**
   * Pending while a registration runs. A reservation must wait for it: the registration would carry it under neither the old nor the new
   * name.
   */
  get registering(): Promise<unknown> | undefined {
    return this.#registering;
  }

  /** Reports a failure under a name. One that concerns a former name does not end the membership of the present one. */
  lost(incarnation: string, reason: unknown): void {
    if (this.#mode !== 'shared' || this.#closed || incarnation !== this.#incarnation) return;
    this.#mode = 'degraded';
    this.#since = this.#settings.clock.now();
    this.#settings.onDegraded(reason);
    this.#schedule(this.#retryMs);
  }

  /** Tries to join now; one attempt at a time. Never rejects. */
  join(): Promise<void> {
    if (this.#closed || this.#mode === 'shared') return Promise.resolve();
    this.#joining ??= this.#attempt().finally(() => {
      this.#joining = undefined;
    });
    return this.#joining;
  }

  /**
   * Earlier incarnations of this replica count no more: what they charged is in the ledger by now. Their heartbeat may not have
   * ended yet, and Redis may be away just now: every later look at the incarnations drops what is still there of them.
   */
  async forgetFormerIncarnations(): Promise<void> {
    this.#recovered = true;
    await this.look();
    await this.#dropping;
  }

  /** Sends a heartbeat now, which also tells who is alive. */
  async look(): Promise<void> {
    if (this.#mode === 'shared') await this.#heartbeat();
  }

  /** Makes the next heartbeat come early. */
  lookSoon(): void {
    if (this.#mode !== 'shared' || this.#heartbeatScheduled) return;
    this.#heartbeatScheduled = true;
    this.#schedule(Math.min(SOON_MS, this.#settings.heartbeatEveryMs));
  }

  /** The ids of replicas that live. */
  living(): readonly string[] {
    return this.#replicas;
  }

  /** Replicas none of whose incarnations has a heartbeat any more. */
  missing(): DeadReplica[] {
    const incarnations = new Map<string, DeadIncarnation[]>();
    for (const incarnation of this.#dead) {
      const id = replicaOf(incarnation.name);
      if (!this.#replicas.includes(id)) incarnations.set(id, [...(incarnations.get(id) ?? []), incarnation]);
    }
    const missing = [...incarnations].map(([id, dead]) => ({
      id,
      since: Math.max(...dead.map(({ since }) => since)),
      incarnations: dead,
    }));
    return missing.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Writes off what a dead replica had not posted. False for one that lives or is not known. */
  async forget(id: string): Promise<boolean> {
    await this.look();
    const found = this.missing().find((replica) => replica.id === id);
    if (found === undefined) return false;
    await this.#drop(found.incarnations.map(({ name }) => name));
    return true;
  }

  async close(leave: boolean): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#joining;
    const names = leave ? [this.#incarnation, ...this.#former] : this.#former;
    await this.#settings.calls.leave(names.filter((name) => name !== '')).catch(() => undefined);
  }

  async #attempt(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      const { replicaId, calls, uniqueName, settleMs } = this.#settings;
      const incarnation = `${replicaId}#${uniqueName()}`;
      // The first call only joins. While Redis is slow, reservations go on from the leases and do not wait for it.
      const joined = await calls.join(incarnation, uniqueName(), { isFirst: this.#epoch === undefined, settleMs });
      const registering = this.#register(incarnation, joined);
      this.#registering = registering.catch(() => undefined);
      await registering;
    } catch {
      this.#retryMs = Math.min(this.#retryMs * 2, this.#settings.slowestRetryMs);
      this.#schedule(this.#retryMs);
    } finally {
      this.#registering = undefined;
    }
  }

  async #register(incarnation: string, joined: Joined): Promise<void> {
    if (this.#incarnation !== '') this.#former.push(this.#incarnation);
    // Names of failed attempts end with their heartbeat, so only the newest are remembered.
    this.#former.splice(0, this.#former.length - MAX_FORMER_NAMES);
    this.#incarnation = incarnation;
    this.#memory = joined.epoch;
    const everything = joined.epoch !== this.#epoch;
    await this.#settings.register(incarnation, { everything, unsettled: joined.settleMs > 0 });
    await this.#settings.calls.leave(this.#former);
    this.#former = [];
    this.#epoch = joined.epoch;
    this.#retryMs = this.#settings.firstRetryMs;
    this.#learn(joined);
    if (joined.settleMs > 0) this.#schedule(joined.settleMs);
    else this.#enterShared();
  }

  #enterShared(): void {
    if (this.#closed) return;
    this.#mode = 'shared';
    this.#since = this.#settings.clock.now();
    this.#settings.onShared();
    // The first heartbeat follows at once, because nothing is leased before it.
    this.#schedule(0);
  }

  async #heartbeat(): Promise<void> {
    const incarnation = this.#incarnation;
    this.#heartbeatScheduled = false;
    const sentMs = this.#settings.clock.monotonicMs();
    try {
      const seen = await this.#settings.calls.heartbeat(incarnation);
      if (incarnation !== this.#incarnation || this.#mode !== 'shared') return;
      if (seen === undefined) return this.lost(incarnation, new Error('Redis does not know this replica'));
      this.#lastHeartbeatMs = sentMs;
      this.#learn(seen);
      this.#dropFormerIncarnations(seen);
      if (!(await this.#settings.onHeartbeat(incarnation)))
        return this.lost(incarnation, new Error('Redis does not know this replica'));
      if (incarnation !== this.#incarnation || this.#mode !== 'shared') return;
      this.#schedule(this.#heartbeatScheduled ? SOON_MS : this.#settings.heartbeatEveryMs);
    } catch (error) {
      this.lost(incarnation, error);
    }
  }

  #learn({ now, living, dead }: IncarnationsSnapshot): void {
    this.#skewMs = now - this.#settings.clock.now();
    this.#replicas = [...new Set(living.map(replicaOf))].sort();
    this.#dead = dead;
  }

  /** No heartbeat waits for it, since it reads every budget. What fails is tried again after the next one. */
  #dropFormerIncarnations({ living, dead }: IncarnationsSnapshot): void {
    if (!this.#recovered || this.#dropping !== undefined) return;
    const ours = (name: string): boolean => replicaOf(name) === this.#settings.replicaId && name !== this.#incarnation;
    const former = [...living, ...dead.map(({ name }) => name)].filter(ours);
    if (former.length === 0) return;
    this.#dropping = this.#drop(former)
      .catch(() => undefined)
      .finally(() => {
        this.#dropping = undefined;
      });
  }

  async #drop(names: string[]): Promise<void> {
    await this.#settings.drop(names, this.#incarnation);
    this.#dead = this.#dead.filter(({ name }) => !names.includes(name));
  }

  #schedule(afterMs: number): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const next = this.#mode === 'shared' ? this.#heartbeat() : this.join();
      next.catch((error: unknown) => this.lost(this.#incarnation, error));
    }, afterMs);
    this.#timer.unref();
  }
}

function replicaOf(incarnation: string): string {
  return incarnation.slice(0, incarnation.lastIndexOf('#'));
}
