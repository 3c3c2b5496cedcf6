/**
 * Replicas of shared admission through a made-up life: requests, charges, postings, top-ups, cut and silent wires, late answers, replicas
 * that die and come back. After every step what all of them have granted stays within the wallet, the cap and the windows.
 */
import {
  type Admission,
  AdmissionUnavailable,
  createRedisAdmission,
  type Hold,
  type LimitCheck,
} from '../../src/admission/index.ts';
import { money } from '../../src/core/money.ts';
import type { Chance } from '../simulation/seeded.ts';
import { cap, request, requests, tokens, wallet } from './check-fixtures.ts';
import { PaperLedger } from './paper-ledger.ts';
import { PaperLink } from './paper-link.ts';
import { PaperRedis } from './paper-redis.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface Weather {
  replicas: number;
  /** In how many of a hundred steps a wire breaks, a replica dies, Redis loses its memory. */
  breaks: number;
  dies: number;
  forgets: number;
}

/** An admission, and the tokens that it counts with: what was taken, then what was used. */
interface Taken {
  at: number;
  tokens: number;
  by: SimulatedReplica;
  /** Granted while its replica was cut off: Redis counts the replica's lease instead of it. */
  isFromLease: boolean;
  /** One of the two cases in which a window may be counted too low (ADR 0013). */
  isLost: boolean;
}

interface SimulatedReplica {
  id: string;
  admission: Admission;
  link: PaperLink;
  isAlive: boolean;
  isCutOff: boolean;
  running: { hold: Hold; taken: Taken }[];
  /** Charged and not posted: what is in its journal. */
  journal: bigint[];
}

const WALLET_ID = 'wallet:a';
const CAP = cap('k', 60_000n);
const REQUESTS_A_MINUTE = 40;
const TOKENS_A_MINUTE = 12_000;
const DEADLINE_MS = 250;
/** An answer comes later than the decision, by the deadline at most. */
const SPAN_MS = 60_000 - 2 * DEADLINE_MS;

export class SimulatedFleet {
  readonly #time: VirtualTime;
  readonly #chance: Chance;
  readonly #weather: Weather;
  readonly #redis = new PaperRedis();
  readonly #ledger = new PaperLedger();
  readonly #replicas: SimulatedReplica[];
  readonly #admitted: Taken[] = [];
  #paid = 0n;
  #charged = 0n;
  #asked = 0;
  /** How often Redis has forgotten everything. */
  #memory = 0;
  /** So that a life in which nothing happened is not taken for a good one. */
  readonly seen = { granted: 0, refused: 0, unavailable: 0, degraded: 0, deaths: 0 };

  constructor(time: VirtualTime, chance: Chance, weather: Weather) {
    this.#time = time;
    this.#chance = chance;
    this.#weather = weather;
    this.#topUp(10_000n + BigInt(chance.below(40_000)));
    this.#ledger.write(CAP.id, 0n);
    this.#replicas = Array.from({ length: weather.replicas }, (_, i) => this.#launch(`replica-${i}`, []));
  }

  async live(steps: number): Promise<void> {
    await this.#time.pass(1_000);
    for (let step = 0; step < steps; step++) {
      await this.#step();
      await this.#time.pass(this.#chance.below(400));
      this.#check(`step ${step}`);
    }
  }

  /** Wires are mended, the dead are back, everything is charged and posted: then nothing is held, and all that is left can be had. */
  async end(): Promise<void> {
    for (const [i, replica] of this.#replicas.entries()) if (!replica.isAlive) await this.#comeBack(i);
    for (const { link } of this.#replicas) {
      link.isCalm = true;
      link.mend();
    }
    while (this.#asked > 0) await this.#time.pass(1_000);
    for (const replica of this.#replicas) {
      while (replica.running.length > 0) this.#settle(replica);
      this.#post(replica);
    }
    await this.#time.pass(150_000);
    // Nobody may have heard of a top-up: the next request makes its replica read the ledger again.
    for (const { admission } of this.#replicas)
      await this.#until(Promise.resolve(admission.reserve(request([wallet('a')]))));
    await this.#time.pass(1_000);
    this.#check('the end');
    const left = this.#paid - this.#charged;
    for (const { admission, id } of this.#replicas) {
      const state = (await this.#until(admission.budgets([wallet('a')]))).get(WALLET_ID);
      if (state?.held !== 0n || -state.posted !== left)
        throw new Error(`${id} sees ${state?.held} held and ${state?.posted} posted; ${left} is left`);
      const rate = (await this.#until(admission.windows([requests('k', REQUESTS_A_MINUTE)]))).get('rpm:k');
      if (rate?.remaining !== REQUESTS_A_MINUTE)
        throw new Error(`${id}: ${rate?.remaining} requests are free of ${REQUESTS_A_MINUTE}`);
    }
    const [first] = this.#replicas;
    const all = first && (await this.#until(Promise.resolve(first.admission.reserve(request([wallet('a')], left)))));
    if (left > 0n && !all?.ok) throw new Error(`of ${left} that are left nothing can be had`);
  }

  #launch(id: string, journal: bigint[]): SimulatedReplica {
    const link = new PaperLink(this.#redis, this.#time, this.#chance);
    // Late answers cut a replica off, and what it holds then may be counted too low by a Redis that forgets (ADR 0013).
    link.isCalm = this.#weather.forgets > 0;
    const admission = createRedisAdmission({
      redis: link.asClient(),
      clock: this.#time,
      time: 'given',
      replicaId: id,
      loadPosted: this.#ledger.load,
      deadlineMs: DEADLINE_MS,
      onMode: (mode) => {
        replica.isCutOff = mode === 'degraded';
        if (replica.isCutOff) this.seen.degraded++;
      },
    });
    const replica: SimulatedReplica = { id, admission, link, isAlive: true, isCutOff: false, running: [], journal };
    return replica;
  }

  async #step(): Promise<void> {
    const { breaks, dies, forgets } = this.#weather;
    const replica = this.#chance.pick(this.#replicas);
    if (this.#chance.happens(breaks)) this.#chance.pick([() => replica.link.cut(), () => replica.link.silence()])();
    else if (this.#chance.happens(breaks * 2))
      this.#chance.pick(this.#replicas.filter((one) => one.isAlive)).link.mend();
    else if (this.#chance.happens(dies) && this.#replicas.filter((one) => one.isAlive).length > 1) this.#kill(replica);
    else if (this.#chance.happens(dies)) await this.#comeBackAny();
    else if (this.#chance.happens(forgets)) this.#forget();
    else if (this.#chance.happens(2)) this.#topUp(BigInt(this.#chance.below(8_000)), replica);
    else if (this.#chance.happens(55)) for (let n = this.#chance.below(4); n >= 0; n--) this.#ask(replica);
    else if (this.#chance.happens(60)) this.#settle(replica);
    else this.#post(replica);
  }

  #ask(replica: SimulatedReplica): void {
    if (!replica.isAlive) return;
    const counted = 50 + this.#chance.below(600);
    const checks: LimitCheck[] = [
      requests('k', REQUESTS_A_MINUTE),
      CAP,
      wallet('a'),
      tokens('k', TOKENS_A_MINUTE, counted),
    ];
    const most = 50n + BigInt(this.#chance.below(2_000));
    this.#asked++;
    const memory = this.#memory;
    Promise.resolve(replica.admission.reserve(request(checks, most, most / 4n)))
      .then((result) => {
        if (!result.ok) this.seen.refused++;
        // Whoever was killed meanwhile answers nobody.
        if (!result.ok || !replica.isAlive) return;
        this.seen.granted++;
        const taken: Taken = {
          at: this.#time.now(),
          tokens: counted,
          by: replica,
          isFromLease: replica.isCutOff,
          // Redis granted it and forgot it before its answer came, so its replica could not register it.
          isLost: memory !== this.#memory,
        };
        replica.running.push({ hold: result.hold, taken });
        this.#admitted.push(taken);
      })
      .catch((error: unknown) => {
        if (!(error instanceof AdmissionUnavailable)) throw error;
        this.seen.unavailable++;
      })
      .finally(() => this.#asked--);
  }

  #settle(replica: SimulatedReplica): void {
    const [ended] = replica.running.splice(this.#chance.below(Math.max(1, replica.running.length)), 1);
    if (ended === undefined || !replica.isAlive) return;
    const spent = this.#chance.happens(20) ? 0n : BigInt(this.#chance.below(Number(ended.hold.amount) + 1));
    if (spent > 0n) replica.journal.push(spent);
    // Fewer tokens than were taken: a window that was corrected upwards may exceed its limit, as it is promised.
    ended.taken.tokens = this.#chance.below(ended.taken.tokens + 1);
    replica.admission.settle(ended.hold, { spent: money(spent), tokens: ended.taken.tokens });
  }

  #post(replica: SimulatedReplica): void {
    const spent = replica.journal.splice(0).reduce((sum, cost) => sum + cost, 0n);
    if (spent === 0n) return;
    this.#charged += spent;
    const updates = [WALLET_ID, CAP.id].map((budget) => {
      const { posted, version } = this.#write(budget, spent);
      return { budget, posted: money(posted), version, release: money(spent) };
    });
    replica.admission.posted(updates);
  }

  #write(budget: string, amount: bigint): { posted: bigint; version: bigint } {
    const before = this.#ledger.rows.get(budget) ?? { posted: 0n, version: 0n };
    const after = { posted: before.posted + amount, version: before.version + 1n };
    this.#ledger.write(budget, after.posted, after.version);
    return after;
  }

  /** One replica hears of it, or none. */
  #topUp(amount: bigint, heard?: SimulatedReplica): void {
    this.#paid += amount;
    const row = this.#write(WALLET_ID, -amount);
    if (heard?.isAlive)
      heard.admission.posted([
        { budget: WALLET_ID, posted: money(row.posted), version: row.version, release: money(0n) },
      ]);
  }

  /** Running requests end with it and cost nothing; its journal stays. */
  #kill(replica: SimulatedReplica): void {
    this.seen.deaths++;
    replica.isAlive = false;
    replica.running = [];
    replica.link.cut();
  }

  #forget(): void {
    this.#memory++;
    this.#redis.forgetEverything();
  }

  async #comeBackAny(): Promise<void> {
    const dead = this.#replicas.findIndex(({ isAlive }) => !isAlive);
    if (dead >= 0) await this.#comeBack(dead);
  }

  /** As a start does: its journal is posted first, then what it held before counts no more. */
  async #comeBack(place: number): Promise<void> {
    const dead = this.#replicas[place] as SimulatedReplica;
    const { id, journal } = dead;
    // Its lease ends with its return, and what it granted from it before it died nobody can tell.
    for (const taken of this.#admitted) if (taken.by === dead && taken.isFromLease) taken.isLost = true;
    const back = this.#launch(id, journal);
    this.#replicas[place] = back;
    this.#post(back);
    const recovered = back.admission.recovered();
    await this.#time.pass(100);
    recovered.catch(() => undefined);
  }

  async #until<T>(answer: Promise<T>): Promise<T> {
    let found: { value: T } | undefined;
    answer.then(
      (value) => {
        found = { value };
      },
      () => undefined,
    );
    for (let waited = 0; found === undefined && waited < 100; waited++) await this.#time.pass(1_000);
    if (found === undefined) throw new Error('no answer after 100 seconds');
    return found.value;
  }

  #check(when: string): void {
    const journals = this.#replicas.reduce((sum, { journal }) => journal.reduce((all, cost) => all + cost, sum), 0n);
    const held = this.#replicas.reduce((sum, one) => one.running.reduce((all, { hold }) => all + hold.amount, sum), 0n);
    const taken = this.#charged + journals + held;
    if (taken > this.#paid) throw new Error(`${when}: ${taken} of a wallet of ${this.#paid}`);
    if (taken > CAP.limit) throw new Error(`${when}: ${taken} of a cap of ${CAP.limit}`);
    const since = this.#time.now() - SPAN_MS;
    while ((this.#admitted[0]?.at ?? since + 1) <= since) this.#admitted.shift();
    const known = this.#admitted.filter(({ isLost }) => !isLost);
    if (known.length > REQUESTS_A_MINUTE) throw new Error(`${when}: ${known.length} requests in a minute`);
    const counted = known.reduce((sum, { tokens: used }) => sum + used, 0);
    if (counted > TOKENS_A_MINUTE) throw new Error(`${when}: ${counted} tokens in a minute`);
  }
}
