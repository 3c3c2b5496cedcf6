/**
 * How many tokens per second a model generates while its reasoning is hidden. A client that leaves before the provider
 * has reported pays for hidden reasoning by its duration and this rate. It begins with the model's rate: the
 * operator's, or what most accounts measured where that is more. Each account learns its own rate from answers whose
 * usage was reported. An account cannot lower its rate far; otherwise it could pay for slow answers first and use long
 * reasoning for little money afterwards. What accounts measure never takes a model's rate below the operator's, so many
 * accounts of one person gain nothing either. Learning is arithmetic in memory. It is written to the database in
 * intervals and merged with what all replicas measured.
 */
import { boundedCache } from '../platform/bounded-cache.ts';

/** Fewer tokens would measure the network and not the model. */
const ENOUGH_TOKENS = 256;
/** In a shorter time the network's delay dominates the quotient. */
const ENOUGH_MS = 1_000;
/**
 * The lowest rate that an account can measure, as a share of the model's. A client that leaves must pay at least 80 %
 * of what was billed.
 */
export const MIN_SHARE = 0.85;
/** No provider generates faster; a higher quotient is a burst after a stall. */
export const MAX_RATE = 3_000;
/** The weight of old measurements is bounded by this many tokens; beyond it they fade out. */
export const REMEMBERED_TOKENS = 200_000;
const MAX_ENTRIES = 20_000;

/** Rates are weighted by tokens: many short and slow answers count no more than the money they cost. */
export interface Measured {
  tokens: number;
  /** The sum of tokens × tokens a second. */
  weighted: number;
}

export interface MeasuredOf extends Measured {
  account: string;
  model: string;
}

interface Entry {
  /** The state in the database when it was last read or written. */
  stored: Measured | undefined;
  /** What was measured since the last write. */
  fresh: Measured | undefined;
}

export class ReasoningRates {
  readonly #entries = boundedCache<Entry>(MAX_ENTRIES);
  /** Entries to write. Kept apart from the cache, which may drop an entry before it is written. */
  #unwritten = new Map<string, MeasuredOf>();
  /** The median that the accounts measured, by model. */
  #usual: ReadonlyMap<string, number> = new Map();

  /** Tokens a second, given the operator's rate of the model. */
  of(account: string, model: string, operators: number): number {
    const initial = Math.max(operators, Math.min(MAX_RATE, this.#usual.get(model) ?? 0));
    const entry = this.#entries.get(keyOf(account, model));
    const rate = entry && rateOf(entry);
    return rate === undefined ? initial : Math.max(initial * MIN_SHARE, Math.min(MAX_RATE, rate));
  }

  /** Adds one answer whose usage was reported: its reasoning tokens and the time they took. */
  learn(account: string, model: string, thought: { tokens: number; ms: number }): void {
    const { tokens, ms } = thought;
    if (tokens < ENOUGH_TOKENS || ms < ENOUGH_MS) return;
    const key = keyOf(account, model);
    const waiting = this.#unwritten.get(key);
    if (!waiting && this.#unwritten.size >= MAX_ENTRIES) return;
    const seen = { tokens, weighted: (tokens * tokens * 1_000) / ms };
    const fresh = waiting ?? { account, model, tokens: 0, weighted: 0 };
    Object.assign(fresh, faded(sum(fresh, seen)));
    this.#unwritten.set(key, fresh);
    this.#entries.set(key, { stored: this.#entries.get(key)?.stored, fresh });
  }

  /** The sums in the database, from this replica and the others. */
  read(rows: readonly MeasuredOf[]): void {
    for (const { account, model, tokens, weighted } of rows) {
      const key = keyOf(account, model);
      this.#entries.set(key, { stored: { tokens, weighted }, fresh: this.#unwritten.get(key) });
    }
  }

  /** The median over accounts, for each model that enough of them have used. */
  readUsual(rows: readonly { model: string; rate: number }[]): void {
    this.#usual = new Map(rows.map(({ model, rate }) => [model, rate]));
  }

  /** Hands over the entries that must be written. They count as unwritten again when `write` fails. */
  async handOver(write: (measured: MeasuredOf[]) => Promise<MeasuredOf[]>): Promise<void> {
    if (this.#unwritten.size === 0) return;
    const taken = this.#unwritten;
    this.#unwritten = new Map();
    try {
      this.read(await write([...taken.values()]));
    } catch (error) {
      for (const [key, measured] of taken) {
        const since = this.#unwritten.get(key);
        const fresh = since ? { ...measured, ...faded(sum(measured, since)) } : measured;
        this.#unwritten.set(key, fresh);
        this.#entries.set(key, { stored: this.#entries.get(key)?.stored, fresh });
      }
      throw error;
    }
  }
}

function rateOf({ stored, fresh }: Entry): number | undefined {
  const all = stored && fresh ? sum(faded(stored), fresh) : (stored ?? fresh);
  return all && all.weighted / all.tokens;
}

function sum(one: Measured, other: Measured): Measured {
  return { tokens: one.tokens + other.tokens, weighted: one.weighted + other.weighted };
}

function faded({ tokens, weighted }: Measured): Measured {
  const share = Math.min(1, REMEMBERED_TOKENS / tokens);
  return { tokens: tokens * share, weighted: weighted * share };
}

function keyOf(account: string, model: string): string {
  return `${account} ${model}`;
}
