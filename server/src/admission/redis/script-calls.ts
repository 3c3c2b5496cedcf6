/** The scripts as typed calls, each with a deadline: a slow Redis is worse than a dead one. */
import type { RedisClient } from '../../platform/redis/index.ts';
import type { LimitCheck } from '../admission.ts';
import {
  type Change,
  fromParts,
  type KeyOf,
  type Leasable,
  type LeaseAnswer,
  packCall,
  packLeases,
  type ReserveReply,
  type SharedReservation,
  unpackAnswers,
  unpackLeases,
} from './packing.ts';
import { SCRIPTS, type Script } from './scripts.ts';

/** Redis did not answer, or not in time. What it was asked may have happened all the same. */
class RedisTrouble extends Error {}

/** The names of replicas' incarnations. */
export interface IncarnationsSnapshot {
  now: number;
  living: string[];
  /** Their heartbeat has ended; what they had outstanding still counts. */
  dead: DeadIncarnation[];
}

export interface DeadIncarnation {
  name: string;
  /** When its heartbeat ended. */
  since: number;
}

/** What incarnations have outstanding: by the name of the incarnation, then by budget. Incarnations with nothing are not in it. */
export type Shares = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

export interface Joined extends IncarnationsSnapshot {
  epoch: string;
  settleMs: number;
}

export interface WindowReading {
  used: number;
  resetMs: number;
}

export interface BudgetReading {
  posted: bigint;
  held: bigint;
}

export interface CallSettings {
  redis: RedisClient;
  prefix: string;
  deadlineMs: number;
  /** How long a replica counts as living without a heartbeat. */
  heartbeatMs: number;
  /** '' lets Redis read its own clock; tests give theirs. */
  now: () => string;
  isCluster: boolean;
}

/** Part of every key, because replicas of another version pack their counters differently and must not read ours. */
const LAYOUT = '4:';
const DEADLINE_SLICES = 5;
/** The same as in lua/counters.lua: the last letters of an incarnation's name represent it in every budget. */
const LABEL_LENGTH = 12;
/** Redis runs nothing else while a script runs. */
const SHARES_PER_CALL = '500';

export class ScriptCalls {
  readonly #settings: CallSettings;
  readonly #incarnationsKey: string;
  readonly #epochKey: string;
  readonly #windows: string;
  readonly #budgets: string;

  constructor(settings: CallSettings) {
    this.#settings = settings;
    const prefix = settings.prefix + LAYOUT;
    // The key's name is part of the layout.
    this.#incarnationsKey = `${prefix}members`;
    this.#epochKey = `${prefix}epoch`;
    this.#windows = `${prefix}w:`;
    this.#budgets = `${prefix}b:`;
  }

  get #asksForNode(): string {
    return this.#settings.isCluster ? 'yes' : '';
  }

  readonly keyOf: KeyOf = (kind, id) => (kind === 'window' ? this.#windows : this.#budgets) + id;

  /** Changes, then reservations, in one call. `onLate` hears of reservations that happened after their callers had given up. */
  async decide(
    incarnation: string,
    changes: Change[],
    reservations: SharedReservation[],
    onLate?: (answers: ReserveReply[]) => void,
  ): Promise<ReserveReply[]> {
    const packed = packCall(changes, reservations, this.keyOf);
    const args = [incarnation, this.#settings.now(), packed.changes, packed.lists, packed.reservations];
    const heardLate = onLate && ((late: unknown) => onLate(unpackAnswers(late as Buffer)));
    const answer = await this.#inTime(this.#runForBytes(SCRIPTS.decide, packed.keys, args), heardLate);
    return unpackAnswers(answer as Buffer);
  }

  /** Renews leases of these counters: one in so many parts of what is left. Undefined when this incarnation is not known (any more). */
  async lease(incarnation: string, parts: number, counters: Leasable[]): Promise<LeaseAnswer[] | undefined> {
    const keys = counters.map(({ kind, id }) => this.keyOf(kind, id));
    const args = [incarnation, this.#settings.now(), `${parts}`, packLeases(counters)];
    const answers = unpackLeases((await this.#inTime(this.#runForBytes(SCRIPTS.lease, keys, args))) as Buffer);
    return answers.length === counters.length ? answers : undefined;
  }

  async readWindows(checks: Pick<LimitCheck, 'id'>[]): Promise<WindowReading[]> {
    const values = await this.#read('window', checks);
    return checks.map((_, i) => ({ used: Number(values[3 * i]), resetMs: Number(values[3 * i + 1]) }));
  }

  /** Undefined for a budget whose posted amount Redis does not know. */
  async readBudgets(checks: Pick<LimitCheck, 'id'>[]): Promise<(BudgetReading | undefined)[]> {
    const values = await this.#read('budget', checks);
    return checks.map((_, i) => {
      const [billions = '', rest = '', held = ''] = values.slice(3 * i, 3 * i + 3);
      return billions === '' ? undefined : { posted: fromParts(billions, rest), held: BigInt(held) };
    });
  }

  async #read(kind: 'window' | 'budget', checks: Pick<LimitCheck, 'id'>[]): Promise<string[]> {
    const keys = [this.#incarnationsKey, ...checks.map((check) => this.keyOf(kind, check.id))];
    const args = [this.#settings.now(), ...checks.map(() => (kind === 'window' ? 'w' : 'b'))];
    return (await this.#run(SCRIPTS.read, keys, args)) as string[];
  }

  async join(incarnation: string, epochName: string, epoch: { isFirst: boolean; settleMs: number }): Promise<Joined> {
    const { heartbeatMs, now } = this.#settings;
    const settleMs = epoch.isFirst ? 0 : epoch.settleMs;
    const times = { settled: `${settleMs}`, takenOver: `${epoch.settleMs}` };
    const args = [incarnation, now(), `${heartbeatMs}`, epochName, times.settled, this.#asksForNode, times.takenOver];
    const answer = await this.#run(SCRIPTS.join, [this.#incarnationsKey, this.#epochKey], args);
    const [nowMs, name, settle, living, dead, ended] = answer as [number, string, number, string[], string[], number[]];
    return { now: nowMs, epoch: name, settleMs: settle, living, dead: deadIncarnations(dead, ended) };
  }

  /** Undefined when this incarnation is not known (any more). */
  async heartbeat(incarnation: string): Promise<IncarnationsSnapshot | undefined> {
    const args = [incarnation, this.#settings.now(), `${this.#settings.heartbeatMs}`, this.#asksForNode];
    const answer = await this.#run(SCRIPTS.heartbeat, [this.#incarnationsKey, this.#epochKey], args);
    const [now, living, dead = [], ended = []] = answer as [number?, string[]?, string[]?, number[]?];
    return now === undefined || living === undefined ? undefined : { now, living, dead: deadIncarnations(dead, ended) };
  }

  /** What these incarnations have outstanding, from a look at every budget: never on a request's path. */
  async shares(incarnations: string[]): Promise<Shares> {
    const incarnationOf = new Map(incarnations.map((incarnation) => [incarnation.slice(-LABEL_LENGTH), incarnation]));
    const pattern = `${asPattern(this.#budgets)}*`;
    // A budget may be on two pages, so what is found is set and not added.
    const shares = new Map<string, Map<string, bigint>>();
    let cursor = '0';
    do {
      const args = [cursor, pattern, SHARES_PER_CALL, ...incarnationOf.keys()];
      const [next = '0', ...found] = (await this.#run(SCRIPTS.shares, [this.#incarnationsKey], args)) as string[];
      for (let at = 0; at < found.length; at += 3) {
        const [key = '', label = '', amount = '0'] = found.slice(at, at + 3);
        const incarnation = incarnationOf.get(label);
        if (incarnation === undefined) continue;
        const budgets = shares.get(incarnation) ?? new Map<string, bigint>();
        shares.set(incarnation, budgets.set(key.slice(this.#budgets.length), BigInt(amount)));
      }
      cursor = next;
    } while (cursor !== '0');
    return shares;
  }

  async leave(incarnations: string[]): Promise<void> {
    if (incarnations.length > 0)
      await this.#run(SCRIPTS.leave, [this.#incarnationsKey], [this.#settings.now(), ...incarnations]);
  }

  #run(called: Script, keys: string[], args: string[]): Promise<unknown> {
    const { redis } = this.#settings;
    const reply = redis
      .evalsha(called.digest, keys.length, ...keys, ...args)
      .catch(whenUnknown(() => redis.eval(called.text, keys.length, ...keys, ...args)));
    return this.#inTime(reply);
  }

  #runForBytes(called: Script, counters: string[], args: (string | Buffer)[]): Promise<unknown> {
    const { redis } = this.#settings;
    const all = [counters.length + 1, this.#incarnationsKey, ...counters, ...args];
    return redis
      .callBuffer('evalsha', called.digest, ...all)
      .catch(whenUnknown(() => redis.callBuffer('eval', called.text, ...all)));
  }

  /**
   * The deadline is counted in slices, each of them a turn of our own event loop. When this process was the busy one, the
   * question may not have left it yet, or the answer may lie unread in the socket: that costs a slice, not the deadline,
   * and is not taken for a slow Redis.
   */
  #inTime<T>(reply: Promise<T>, onLate?: (answer: T) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let late = false;
      let slicesLeft = DEADLINE_SLICES;
      let timer: NodeJS.Timeout;
      const wait = (): void => {
        if (slicesLeft-- > 0) timer = setTimeout(wait, this.#settings.deadlineMs / DEADLINE_SLICES);
        else {
          late = true;
          reject(new RedisTrouble('Redis did not answer in time'));
        }
      };
      wait();
      reply.then(
        (answer) => {
          clearTimeout(timer);
          if (late) onLate?.(answer);
          else resolve(answer);
        },
        (error: unknown) => {
          clearTimeout(timer);
          reject(new RedisTrouble(error instanceof Error ? error.message : String(error), { cause: error }));
        },
      );
    });
  }
}

function deadIncarnations(names: string[], ended: number[]): DeadIncarnation[] {
  return names.map((name, i) => ({ name, since: ended[i] ?? 0 }));
}

/** Letters that mean something in a pattern stand for themselves. */
function asPattern(text: string): string {
  return text.replace(/[*?[\]\\^]/g, '\\$&');
}

/** A Redis that was restarted or flushed knows no scripts; sending the text also stores it again. */
function whenUnknown(sendText: () => Promise<unknown>): (error: unknown) => Promise<unknown> {
  return (error) => {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return sendText();
  };
}
