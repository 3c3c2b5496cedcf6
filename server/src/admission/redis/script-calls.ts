/** The scripts as typed calls, each with a deadline: a slow Redis is worse than a dead one. */
import { createHash } from 'node:crypto';
import type { RedisClient } from '../../platform/redis/index.ts';
import type { Claim, TakeRequest } from '../admission.ts';
import { ADJUST, BEAT, JOIN, READ, TAKE } from './scripts.ts';

/** Redis did not answer, or not in time. What it was asked may have happened all the same. */
class RedisTrouble extends Error {}

export type TakeAnswer =
  | { kind: 'stranger' }
  | { kind: 'missing'; claims: number[] }
  | { kind: 'taken'; now: number; grant: bigint; tightest: bigint; counts: number[] }
  | { kind: 'refused'; now: number; claim: number; detail: number; counts: number[] };

export interface Membership {
  now: number;
  members: string[];
}

export interface Joined extends Membership {
  epoch: string;
  settleMs: number;
}

/** One change of a counter; see ADJUST. */
export interface Change {
  key: string;
  kind: 'h' | 'p' | 'c' | 'a';
  first: string;
  second: string;
}

export interface CallSettings {
  redis: RedisClient;
  prefix: string;
  deadlineMs: number;
  /** How long a member lives without a heartbeat. */
  heartbeatMs: number;
  /** '' lets Redis read its own clock; tests give theirs. */
  now: () => string;
}

/** An unused budget leaves Redis after this; it is loaded again when needed. */
const BUDGET_IDLE_MS = 7 * 86_400_000;
const DEADLINE_SLICES = 5;
/** The largest amounts a script can compare exactly. */
const LARGEST = 2n ** 52n;

interface Script {
  text: string;
  digest: string;
}
const script = (text: string): Script => ({ text, digest: createHash('sha1').update(text).digest('hex') });
const SCRIPTS = {
  take: script(TAKE),
  read: script(READ),
  adjust: script(ADJUST),
  join: script(JOIN),
  beat: script(BEAT),
};

export class ScriptCalls {
  readonly #settings: CallSettings;
  readonly #membersKey: string;
  readonly #epochKey: string;

  constructor(settings: CallSettings) {
    this.#settings = settings;
    this.#membersKey = `${settings.prefix}members`;
    this.#epochKey = `${settings.prefix}epoch`;
  }

  keyOf(claim: Pick<Claim, 'kind' | 'id'>): string {
    return `${this.#settings.prefix}${claim.kind === 'window' ? 'w' : 'b'}:${claim.id}`;
  }

  /** `onLate` hears of a take that happened after its caller had given up. */
  async take(member: string, request: TakeRequest, onLate: (answer: TakeAnswer) => void): Promise<TakeAnswer> {
    const keys = [this.#membersKey];
    const { want, least } = request.money;
    const args = [member, this.#settings.now(), `${clamp(want)}`, `${clamp(least)}`];
    for (const claim of request.claims) {
      keys.push(this.keyOf(claim));
      if (claim.kind === 'window') args.push('w', String(claim.limit), String(claim.amount));
      else args.push('b', String(claim.limit), '');
    }
    const answer = await this.#run(SCRIPTS.take, keys, args, (late) => onLate(toTakeAnswer(late)));
    return toTakeAnswer(answer);
  }

  async read(claims: Pick<Claim, 'kind' | 'id'>[]): Promise<(string | number)[]> {
    const keys = [this.#membersKey, ...claims.map((claim) => this.keyOf(claim))];
    const args = [this.#settings.now(), ...claims.map((claim) => (claim.kind === 'window' ? 'w' : 'b'))];
    return (await this.#run(SCRIPTS.read, keys, args)) as (string | number)[];
  }

  async adjust(member: string, changes: Change[]): Promise<void> {
    const args = [member, this.#settings.now(), `${BUDGET_IDLE_MS}`];
    for (const change of changes) args.push(change.kind, change.first, change.second);
    const keys = changes.map((change) => change.key);
    await this.#run(SCRIPTS.adjust, keys, args);
  }

  async join(member: string, epochName: string, settleMs: number): Promise<Joined> {
    const { heartbeatMs, now } = this.#settings;
    const args = [member, now(), `${heartbeatMs}`, epochName, `${settleMs}`];
    const answer = await this.#run(SCRIPTS.join, [this.#membersKey, this.#epochKey], args);
    const [nowMs, epoch, settle, members] = answer as [number, string, number, string[]];
    return { now: nowMs, epoch, settleMs: settle, members };
  }

  /** Undefined when this member is not known (any more). */
  async beat(member: string): Promise<Membership | undefined> {
    const args = [member, this.#settings.now(), `${this.#settings.heartbeatMs}`];
    const [now, members] = (await this.#run(SCRIPTS.beat, [this.#membersKey], args)) as [number?, string[]?];
    return now === undefined || members === undefined ? undefined : { now, members };
  }

  async leave(members: string[]): Promise<void> {
    if (members.length > 0) await this.#inTime(this.#settings.redis.zrem(this.#membersKey, ...members));
  }

  #run(called: Script, keys: string[], args: string[], onLate?: (answer: unknown) => void): Promise<unknown> {
    const { redis } = this.#settings;
    const reply = redis.evalsha(called.digest, keys.length, ...keys, ...args).catch((error: unknown) => {
      // A Redis that was restarted or flushed knows no scripts; sending the text also stores it again.
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return redis.eval(called.text, keys.length, ...keys, ...args);
    });
    return this.#inTime(reply, onLate);
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

function clamp(amount: bigint): bigint {
  return amount > LARGEST ? LARGEST + 1n : amount;
}

function toTakeAnswer(answer: unknown): TakeAnswer {
  const [kind, ...rest] = answer as [string, ...number[]];
  if (kind === 'stranger') return { kind };
  if (kind === 'missing') return { kind, claims: rest.map((index) => index - 1) };
  const [now, first, second, ...counts] = rest as [number, number, number, ...number[]];
  if (kind === 'taken') return { kind, now, grant: BigInt(first), tightest: BigInt(second), counts };
  return { kind: 'refused', now, claim: first - 1, detail: second, counts };
}
