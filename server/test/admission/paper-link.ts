/** The wire between a replica and the paper Redis: delays, cuts, silence, and what is under way when one of them begins. */
import { EventEmitter } from 'node:events';
import type { RedisClient } from '../../src/platform/redis/index.ts';
import type { Chance } from '../simulation/seeded.ts';
import type { PaperRedis } from './paper-redis.ts';
import type { VirtualTime } from './virtual-time.ts';

interface UnderWay {
  /** False once Redis has run it. */
  going: boolean;
  run(): void;
  reject(error: Error): void;
}

const BROKEN = 'Connection is closed.';
/** Later than the deadline of every caller. */
const VERY_LATE_MS = 600;

export class PaperLink extends EventEmitter {
  readonly #redis: PaperRedis;
  readonly #time: VirtualTime;
  readonly #chance: Chance;
  readonly #underWay = new Set<UnderWay>();
  /** Nothing is late any more. */
  isCalm = false;
  #state: 'up' | 'cut' | 'silent' = 'up';
  #lastArrival = 0;
  #lastReply = 0;

  constructor(redis: PaperRedis, time: VirtualTime, chance: Chance) {
    super();
    this.#redis = redis;
    this.#time = time;
    this.#chance = chance;
  }

  get status(): string {
    return this.#state === 'cut' ? 'reconnecting' : 'ready';
  }

  get isUp(): boolean {
    return this.#state === 'up';
  }

  asClient(): RedisClient {
    return this as unknown as RedisClient;
  }

  evalsha(digest: string, count: number, ...rest: (string | Buffer)[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#state === 'cut') return reject(new Error(BROKEN));
      const run = (): unknown =>
        this.#redis.run(this.#time.now(), digest, rest.slice(0, count) as string[], rest.slice(count));
      const call: UnderWay = { going: true, run: () => void run(), reject };
      this.#underWay.add(call);
      if (this.#state === 'silent') return;
      // One connection: nothing overtakes.
      this.#lastArrival = Math.max(this.#lastArrival, this.#time.now() + this.#delay());
      this.#time.after(this.#lastArrival - this.#time.now(), () => {
        if (!this.#underWay.has(call) || !call.going || this.#state !== 'up') return;
        call.going = false;
        const answer = run();
        this.#lastReply = Math.max(this.#lastReply, this.#time.now() + this.#delay());
        this.#time.after(this.#lastReply - this.#time.now(), () => {
          if (this.#state === 'up' && this.#underWay.delete(call)) resolve(answer);
        });
      });
    });
  }

  callBuffer(_command: string, digest: string, count: number, ...rest: (string | Buffer)[]): Promise<unknown> {
    return this.evalsha(digest, count, ...rest);
  }

  disconnect(): void {
    this.cut();
  }

  /** Both ends notice. What was under way may have arrived or not. */
  cut(): void {
    this.#break();
    this.#state = 'cut';
  }

  /** Nobody notices. */
  silence(): void {
    if (this.#state !== 'up') return;
    this.#state = 'silent';
    for (const call of this.#underWay) this.#mayArrive(call);
  }

  /** A new connection; of the old one nothing comes any more. */
  mend(): void {
    if (this.#state === 'up') return;
    this.#break();
    this.#state = 'up';
    this.emit('ready');
  }

  #break(): void {
    for (const call of this.#underWay) {
      if (this.#state === 'up') this.#mayArrive(call);
      call.reject(new Error(BROKEN));
    }
    this.#underWay.clear();
  }

  #mayArrive(call: UnderWay): void {
    if (call.going && this.#chance.happens(50)) call.run();
    call.going = false;
  }

  #delay(): number {
    return !this.isCalm && this.#chance.happens(3) ? this.#chance.below(VERY_LATE_MS) : this.#chance.below(4);
  }
}
