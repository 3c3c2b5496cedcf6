/**
 * The scripts of admission on paper: what Redis holds and answers, without Redis. It reads and writes the same bytes, so that everything on
 * the replica's side is the real code. That the scripts count as memory does is tested on a real Redis (redis-as-memory.test.ts).
 */
import { RollingWindow } from '../../src/admission/arithmetic.ts';
import { SCRIPTS } from '../../src/admission/redis/scripts.ts';

type ScriptName = keyof typeof SCRIPTS;
type Argument = string | number | Buffer;

interface PaperWindow {
  counted: RollingWindow;
  leases: Map<string, number>;
  recalled: number;
}

interface PaperBudget {
  posted: bigint;
  version: bigint;
  recalled: number;
  shares: Map<string, { spent: number; leased: number }>;
}

interface Check {
  key: string;
  isWindow: boolean;
  limit: number;
  amount: number;
}

const NAMES = new Map(Object.entries(SCRIPTS).map(([name, { digest }]) => [digest, name as ScriptName]));
const LABEL_LENGTH = 12;
const BILLION = 1e9;
const WINDOW_LEASES_KEPT_MS = 660_000;
const RECALLED_FOR_MS = 60_000;
const FREE_SHARE = 4;
const MIN_REQUESTS = 4;
const labelOf = (incarnation: string): string => incarnation.slice(-LABEL_LENGTH);

export class PaperRedis {
  readonly #members = new Map<string, number>();
  readonly #windows = new Map<string, PaperWindow>();
  readonly #budgets = new Map<string, PaperBudget>();
  #epoch: { name: string; settledAt: number } | undefined;
  #now = 0;

  /** As after a restart without a disk. */
  forgetEverything(): void {
    this.#members.clear();
    this.#windows.clear();
    this.#budgets.clear();
    this.#epoch = undefined;
  }

  /** Wrong on purpose: replicas are not told, and what they hold counts nowhere. */
  forgetShares(): void {
    for (const { shares } of this.#budgets.values()) shares.clear();
  }

  run(nowMs: number, digest: string, keys: string[], args: Argument[]): unknown {
    this.#now = nowMs;
    const name = NAMES.get(digest);
    switch (name) {
      case 'decide':
        return this.#decide(keys, args);
      case 'lease':
        return this.#lease(keys, args);
      case 'read':
        return this.#read(keys, args);
      case 'shares':
        return this.#shares(args);
      case 'join':
        return this.#join(args);
      case 'heartbeat':
        return this.#heartbeat(args);
      case 'leave':
        for (const incarnation of args.slice(1)) this.#members.delete(String(incarnation));
        return this.#members.size;
      default:
        throw new Error(`no script ${digest}`);
    }
  }

  #join([incarnation, , heartbeatMs, newEpoch, settleMs]: Argument[]): unknown {
    this.#epoch ??= { name: String(newEpoch), settledAt: this.#now + Number(settleMs) };
    this.#members.set(String(incarnation), this.#now + Number(heartbeatMs));
    const { name, settledAt } = this.#epoch;
    return [this.#now, name, Math.max(0, settledAt - this.#now), ...this.#told()];
  }

  #heartbeat([incarnation, , heartbeatMs]: Argument[]): unknown {
    if ((this.#members.get(String(incarnation)) ?? 0) <= this.#now) return [];
    this.#members.set(String(incarnation), this.#now + Number(heartbeatMs));
    return [this.#now, ...this.#told()];
  }

  #told(): [string[], string[], number[]] {
    const all = [...this.#members];
    const dead = all.filter(([, ends]) => ends <= this.#now);
    return [
      all.filter(([, ends]) => ends > this.#now).map(([name]) => name),
      dead.map(([name]) => name),
      dead.map(([, ends]) => ends),
    ];
  }

  /** Undefined for a replica that does not count. */
  #ends(label: string): number | undefined {
    for (const [name, ends] of this.#members) if (labelOf(name) === label) return ends;
    return undefined;
  }

  #lives(label: string): boolean {
    return (this.#ends(label) ?? 0) > this.#now;
  }

  #window(key: string): PaperWindow {
    const window = this.#windows.get(key) ?? { counted: new RollingWindow(), leases: new Map(), recalled: 0 };
    this.#windows.set(key, window);
    return window;
  }

  #budget(key: string): PaperBudget {
    const budget = this.#budgets.get(key) ?? { posted: 0n, version: -1n, recalled: 0, shares: new Map() };
    this.#budgets.set(key, budget);
    return budget;
  }

  #share(budget: PaperBudget, label: string): { spent: number; leased: number } {
    const share = budget.shares.get(label) ?? { spent: 0, leased: 0 };
    budget.shares.set(label, share);
    return share;
  }

  #outstanding({ shares }: PaperBudget): number {
    let sum = 0;
    for (const [label, { spent, leased }] of shares)
      if (this.#ends(label) !== undefined) sum += Math.max(0, spent) + leased;
    return sum;
  }

  #returnable({ shares }: PaperBudget): number {
    let sum = 0;
    for (const [label, { leased }] of shares) if (this.#lives(label)) sum += leased;
    return sum;
  }

  /** What is leased of a window: by all that count, and by those who can give it back. */
  #leased({ leases }: PaperWindow): { all: number; living: number } {
    let [all, living] = [0, 0];
    for (const [label, amount] of leases) {
      const ends = this.#ends(label);
      if (ends === undefined || ends + WINDOW_LEASES_KEPT_MS <= this.#now) continue;
      all += amount;
      if (ends > this.#now) living += amount;
    }
    return { all, living };
  }

  #decide(keys: string[], [incarnation, , changes, packedLists, reservations]: Argument[]): Buffer {
    const label = labelOf(String(incarnation));
    const told = doublesOf(changes as Buffer);
    for (let at = 0; at < told.length; at += 6) this.#change(keys, label, told.slice(at, at + 6));
    const lists = listsOf(keys, doublesOf(packedLists as Buffer));
    const asked = doublesOf(reservations as Buffer);
    const answers = [this.#now];
    for (let at = 0; at < asked.length; ) {
      const [list = 0, want = 0, usual = 0, least = 0] = asked.slice(at, at + 4);
      at += 4;
      const checks = (lists[Math.abs(list) - 1] as Check[]).map(
        (check): Check => (check.isWindow ? { ...check, amount: asked[at++] as number } : check),
      );
      const answer = this.#lives(label)
        ? this.#reserve(label, checks, { isPatient: list > 0, want, usual, least })
        : [0];
      answers.push(answer.length, ...answer);
    }
    return bytesOf(answers);
  }

  #change(keys: string[], label: string, [kind, key = 0, ...values]: number[]): void {
    const name = keys[key - 1] as string;
    const [first = 0, second = 0, third = 0, fourth = 0] = values;
    if (kind === 1) this.#share(this.#budget(name), label).spent += first;
    else if (kind === 2 || kind === 5) {
      const budget = this.#budget(name);
      const version = BigInt(third * BILLION + fourth);
      if (version > budget.version) Object.assign(budget, { version, posted: BigInt(first * BILLION + second) });
    } else if (kind === 3) {
      if (this.#lives(label)) this.#window(name).counted.correct(first, second);
    } else if (kind === 4) this.#window(name).counted.add(second, Math.min(this.#now, first));
    else if (kind === 6) {
      const share = this.#share(this.#budget(name), label);
      share.leased = Math.max(0, share.leased + first);
    } else {
      const { leases } = this.#window(name);
      leases.set(label, Math.max(0, (leases.get(label) ?? 0) + first));
    }
  }

  #reserve(
    label: string,
    checks: Check[],
    { isPatient, want, usual, least }: { isPatient: boolean; want: number; usual: number; least: number },
  ): number[] {
    const missing = checks.flatMap(({ key, isWindow }, n) =>
      !isWindow && this.#budget(key).version < 0n ? [n + 1] : [],
    );
    const states = checks.map((check) => this.#stateOf(check, usual, least));
    const failed = states.findIndex(({ fails }) => fails);
    const isMissing = missing.length > 0 && (failed < 0 || (missing[0] as number) - 1 < failed);
    if (isMissing && failed < 0) return [1, ...missing];
    const inTheWay =
      failed < 0 ? states.find(({ byLeases }) => byLeases) : (states[failed]?.byLeases && states[failed]) || undefined;
    if (inTheWay && isPatient && !isMissing) {
      inTheWay.counter.recalled = this.#now;
      return [4];
    }
    const tightest = Math.min(
      2 ** 52,
      ...states.flatMap(({ available }) => (available === undefined ? [] : [available])),
    );
    const grant = Math.min(want, Math.max(Math.min(usual, tightest), Math.floor(tightest / FREE_SHARE)));
    if (failed >= 0)
      return [3, failed + 1, states[failed]?.detail ?? 0, ...this.#counts(checks.filter((check) => check.isWindow))];
    for (const { key, isWindow, amount } of checks) {
      if (isWindow) this.#window(key).counted.add(amount, this.#now);
      else this.#share(this.#budget(key), label).spent += grant;
    }
    return [2, grant, 0, ...this.#counts(checks, states)];
  }

  #stateOf({ key, isWindow, limit, amount }: Check, usual: number, least: number) {
    if (isWindow) {
      const window = this.#window(key);
      const [used, { all, living }] = [window.counted.used(this.#now), this.#leased(window)];
      const fails = used + all + amount > limit;
      const byLeases = fails && used + all - living + amount <= limit;
      return {
        fails,
        byLeases,
        counter: window,
        detail: 1_000,
        available: undefined,
      };
    }
    const budget = this.#budget(key);
    const held = this.#outstanding(budget);
    const available = limit - Number(budget.posted) - held;
    const back = this.#returnable(budget);
    const fails = budget.version >= 0n && available < least;
    const byLeases = back > 0 && available < usual && available + back >= least;
    return { fails, byLeases, counter: budget, detail: available, available };
  }

  #counts(checks: Check[], states: { available: number | undefined }[] = []): number[] {
    return checks.flatMap(({ key, isWindow }, n) => {
      if (!isWindow) return [states[n]?.available ?? 0];
      const { counted } = this.#window(key);
      return [counted.used(this.#now), counted.emptyInMs(this.#now)];
    });
  }

  #lease(keys: string[], [incarnation, , parts, asked]: Argument[]): Buffer {
    const label = labelOf(String(incarnation));
    if (!this.#lives(label)) return Buffer.alloc(0);
    const numbers = doublesOf(asked as Buffer);
    const answers = keys.slice(1).flatMap((key, n) => {
      const [kind = 0, a = 0, b = 0, amount = 0] = numbers.slice(4 * n, 4 * n + 4);
      const fair = (left: number, least: number) => {
        const part = Math.floor(left / Number(parts));
        return part >= least ? part : 0;
      };
      const window = kind > 0 ? this.#window(key) : undefined;
      const budget = kind > 0 ? undefined : this.#budget(key);
      const own = window ? (window.leases.get(label) ?? 0) : this.#share(budget as PaperBudget, label).leased;
      let wanted = 0;
      if (window && window.recalled + RECALLED_FOR_MS <= this.#now && window.counted.used(this.#now) * 2 <= a)
        wanted = fair(a - window.counted.used(this.#now) - (this.#leased(window).all - own), Math.max(1, amount));
      if (budget && budget.version >= 0n && budget.recalled + RECALLED_FOR_MS <= this.#now)
        wanted = fair(
          a * BILLION + b - Number(budget.posted) - this.#outstanding(budget) + own,
          Math.max(1, MIN_REQUESTS * amount),
        );
      if (wanted <= own * 1.25 && wanted >= own * 0.75) wanted = own;
      if (window) window.leases.set(label, Math.max(own, wanted));
      if (budget && wanted > own) this.#share(budget, label).leased = wanted;
      return [Math.max(0, wanted - own), wanted];
    });
    return bytesOf(answers);
  }

  #read(keys: string[], args: Argument[]): string[] {
    return keys.slice(1).flatMap((key, n) => {
      if (args[n + 1] === 'w') {
        const { counted } = this.#window(key);
        return [`${counted.used(this.#now)}`, `${counted.emptyInMs(this.#now)}`, '0'];
      }
      const budget = this.#budget(key);
      const held = `${this.#outstanding(budget) - this.#returnable(budget)}`;
      return budget.version < 0n ? ['', '', held] : ['0', `${budget.posted}`, held];
    });
  }

  #shares([, , , ...labels]: Argument[]): string[] {
    const found = [...this.#budgets].flatMap(([key, { shares }]) =>
      [...shares].flatMap(([label, { spent, leased }]) => {
        const amount = Math.max(0, spent) + leased;
        return labels.includes(label) && amount > 0 ? [key, label, `${amount}`] : [];
      }),
    );
    return ['0', ...found];
  }
}

/** What reservations check; the amounts for windows come with each of them. */
function listsOf(keys: string[], numbers: number[]): Check[][] {
  const lists: Check[][] = [];
  for (let at = 0; at < numbers.length; ) {
    const count = numbers[at++] as number;
    const list = Array.from({ length: count }, (_, n): Check => {
      const [key = 0, limit = 0, rest = 0] = numbers.slice(at + 3 * n, at + 3 * n + 3);
      const isWindow = key > 0;
      const name = keys[Math.abs(key) - 1] as string;
      return { key: name, isWindow, limit: isWindow ? limit : limit * BILLION + rest, amount: 0 };
    });
    lists.push(list);
    at += 3 * count;
  }
  return lists;
}

function doublesOf(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 8 }, (_, i) => bytes.readDoubleLE(8 * i));
}

function bytesOf(numbers: number[]): Buffer {
  const bytes = Buffer.alloc(8 * numbers.length);
  for (const [i, number] of numbers.entries()) bytes.writeDoubleLE(number, 8 * i);
  return bytes;
}
