/** The scripts as typed calls, each with a deadline: a slow Redis is worse than a dead one. */
import type { RedisClient } from '../../platform/redis/index.ts';
import type { Demand } from '../admission.ts';
import {
  type Change,
  fromParts,
  type KeyOf,
  type Leasable,
  type LeaseAnswer,
  packCall,
  packLeases,
  type SharedTake,
  type TakeAnswer,
  unpackAnswers,
  unpackLeases,
} from './packing.ts';
import { SCRIPTS, type Script } from './scripts.ts';

/** Redis did not answer, or not in time. What it was asked may have happened all the same. */
class RedisTrouble extends Error {}

/** The names of replicas' lives. */
export interface LivesSnapshot {
  now: number;
  living: string[];
  /** Their heartbeat has ended; what they had outstanding still counts. */
  dead: DeadLife[];
}

export interface DeadLife {
  name: string;
  /** When its heartbeat ended. */
  since: number;
}

/** What lives have outstanding: by the name of the life, then by budget. Lives with nothing are not in it. */
export type Shares = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

export interface Joined extends LivesSnapshot {
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
}

/** In every key: replicas of another version, which pack their counters differently, must not read ours. */
const LAYOUT = '4:';
const DEADLINE_SLICES = 5;
/** As in lua/counters.lua: the last letters of a life's name stand for it in every budget. */
const LABEL_LENGTH = 12;
/** Redis runs nothing else while a script runs. */
const SHARES_PER_CALL = '500';

export class ScriptCalls {
  readonly #settings: CallSettings;
  readonly #livesKey: string;
  readonly #epochKey: string;
  readonly #windows: string;
  readonly #budgets: string;

  constructor(settings: CallSettings) {
    this.#settings = settings;
    const prefix = settings.prefix + LAYOUT;
    // The key's name is part of the layout.
    this.#livesKey = `${prefix}members`;
    this.#epochKey = `${prefix}epoch`;
    this.#windows = `${prefix}w:`;
    this.#budgets = `${prefix}b:`;
  }

  readonly keyOf: KeyOf = (kind, id) => (kind === 'window' ? this.#windows : this.#budgets) + id;

  /** Changes, then takes, in one call. `onLate` hears of takes that happened after their callers had given up. */
  async decide(
    life: string,
    changes: Change[],
    takes: SharedTake[],
    onLate?: (answers: TakeAnswer[]) => void,
  ): Promise<TakeAnswer[]> {
    const packed = packCall(changes, takes, this.keyOf);
    const args = [life, this.#settings.now(), packed.changes, packed.takes];
    const heardLate = onLate && ((late: unknown) => onLate(unpackAnswers(late as Buffer)));
    const answer = await this.#inTime(this.#runForBytes(SCRIPTS.decide, packed.keys, args), heardLate);
    return unpackAnswers(answer as Buffer);
  }

  /** Renews leases of these counters: one in so many parts of what is left. Undefined when this life is not known (any more). */
  async lease(life: string, parts: number, counters: Leasable[]): Promise<LeaseAnswer[] | undefined> {
    const keys = counters.map(({ kind, id }) => this.keyOf(kind, id));
    const args = [life, this.#settings.now(), `${parts}`, packLeases(counters)];
    const answers = unpackLeases((await this.#inTime(this.#runForBytes(SCRIPTS.lease, keys, args))) as Buffer);
    return answers.length === counters.length ? answers : undefined;
  }

  async readWindows(demands: Pick<Demand, 'id'>[]): Promise<WindowReading[]> {
    const values = await this.#read('window', demands);
    return demands.map((_, i) => ({ used: Number(values[3 * i]), resetMs: Number(values[3 * i + 1]) }));
  }

  /** Undefined for a budget whose posted amount Redis does not know. */
  async readBudgets(demands: Pick<Demand, 'id'>[]): Promise<(BudgetReading | undefined)[]> {
    const values = await this.#read('budget', demands);
    return demands.map((_, i) => {
      const [billions = '', rest = '', held = ''] = values.slice(3 * i, 3 * i + 3);
      return billions === '' ? undefined : { posted: fromParts(billions, rest), held: BigInt(held) };
    });
  }

  async #read(kind: 'window' | 'budget', demands: Pick<Demand, 'id'>[]): Promise<string[]> {
    const keys = [this.#livesKey, ...demands.map((demand) => this.keyOf(kind, demand.id))];
    const args = [this.#settings.now(), ...demands.map(() => (kind === 'window' ? 'w' : 'b'))];
    return (await this.#run(SCRIPTS.read, keys, args)) as string[];
  }

  async join(life: string, epochName: string, settleMs: number): Promise<Joined> {
    const { heartbeatMs, now } = this.#settings;
    const args = [life, now(), `${heartbeatMs}`, epochName, `${settleMs}`];
    const answer = await this.#run(SCRIPTS.join, [this.#livesKey, this.#epochKey], args);
    const [nowMs, epoch, settle, living, dead, ended] = answer as [
      number,
      string,
      number,
      string[],
      string[],
      number[],
    ];
    return { now: nowMs, epoch, settleMs: settle, living, dead: deadLives(dead, ended) };
  }

  /** Undefined when this life is not known (any more). */
  async beat(life: string): Promise<LivesSnapshot | undefined> {
    const args = [life, this.#settings.now(), `${this.#settings.heartbeatMs}`];
    const answer = await this.#run(SCRIPTS.beat, [this.#livesKey], args);
    const [now, living, dead = [], ended = []] = answer as [number?, string[]?, string[]?, number[]?];
    return now === undefined || living === undefined ? undefined : { now, living, dead: deadLives(dead, ended) };
  }

  /** What these lives have outstanding, from a look at every budget: never on a request's path. */
  async shares(lives: string[]): Promise<Shares> {
    const lifeOf = new Map(lives.map((life) => [life.slice(-LABEL_LENGTH), life]));
    const pattern = `${asPattern(this.#budgets)}*`;
    // A budget may be on two pages, so what is found is set and not added.
    const shares = new Map<string, Map<string, bigint>>();
    let cursor = '0';
    do {
      const args = [cursor, pattern, SHARES_PER_CALL, ...lifeOf.keys()];
      const [next = '0', ...found] = (await this.#run(SCRIPTS.shares, [this.#livesKey], args)) as string[];
      for (let at = 0; at < found.length; at += 3) {
        const [key = '', label = '', amount = '0'] = found.slice(at, at + 3);
        const life = lifeOf.get(label);
        if (life === undefined) continue;
        const budgets = shares.get(life) ?? new Map<string, bigint>();
        shares.set(life, budgets.set(key.slice(this.#budgets.length), BigInt(amount)));
      }
      cursor = next;
    } while (cursor !== '0');
    return shares;
  }

  async leave(lives: string[]): Promise<void> {
    if (lives.length > 0) await this.#run(SCRIPTS.leave, [this.#livesKey], [this.#settings.now(), ...lives]);
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
    const all = [counters.length + 1, this.#livesKey, ...counters, ...args];
    return redis
      .callBuffer('EVALSHA', called.digest, ...all)
      .catch(whenUnknown(() => redis.callBuffer('EVAL', called.text, ...all)));
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

function deadLives(names: string[], ended: number[]): DeadLife[] {
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
