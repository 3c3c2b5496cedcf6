/**
 * What this process has learned about an account's use of a model: by how much our token estimate is too low, and how
 * long its answers are. Kept per account, so that nobody influences another's holds. Bounded; lost on restart, when the
 * defaults apply again.
 */
import { boundedCache } from '../../platform/bounded-cache.ts';

/** One answer moves what is learned by this share, so a single odd one changes little. */
const WEIGHT = 0.05;
/**
 * Never below one: cheap prompts must not lower what is held for expensive ones. Real usage may be odd (hidden system
 * prompts, pictures), so the correction also has an upper bound.
 */
const MIN_RATIO = 1;
const MAX_RATIO = 3;
/** The share of answers that should fit into what is held for them. */
const PERCENTILE = 0.9;
/** A length that was learned from fewer answers would be chance. */
const ENOUGH_ANSWERS = 20;
/** One-word answers teach no length below the short answer that every hold pays for (estimate.ts). */
const MIN_LEARNED_TOKENS = 16;
/** In shorter prompts the few tokens that a provider adds itself would look like a wrong estimate. */
const ENOUGH_INPUT = 32;
const MAX_ENTRIES = 20_000;

interface Learned {
  ratio: number;
  /** High percentile of output tokens, moved by the quantile rule of stochastic approximation. */
  outputHigh: number;
  samples: number;
}

/** An answer as its provider reported it, beside our estimate. */
export interface Lesson {
  estimatedInput: number;
  input: number;
  output: number;
}

export class History {
  readonly #learned = boundedCache<Learned>(MAX_ENTRIES);
  /** Caches the last lookup: requests of one account come in bursts. */
  #last: { account: string; model: string; learned: Learned } | undefined;

  /** How many real tokens one estimated token may be, at least one. */
  ratio(account: string, model: string): number {
    return this.#find(account, model)?.ratio ?? 1;
  }

  /** A realistic output length, undefined until enough answers were seen. */
  typicalOutput(account: string, model: string): number | undefined {
    const learned = this.#find(account, model);
    return learned && learned.samples >= ENOUGH_ANSWERS ? Math.ceil(learned.outputHigh) : undefined;
  }

  learn(account: string, model: string, { estimatedInput, input, output }: Lesson): void {
    const learned = this.#entry(account, model, output);
    learned.samples++;
    if (estimatedInput >= ENOUGH_INPUT && input > 0) {
      const seen = Math.min(MAX_RATIO, Math.max(MIN_RATIO, (input / estimatedInput) * learned.ratio));
      learned.ratio += (seen - learned.ratio) * WEIGHT;
    }
    const step = Math.max(1, learned.outputHigh * WEIGHT);
    const change = output > learned.outputHigh ? step * PERCENTILE : -step * (1 - PERCENTILE);
    learned.outputHigh = Math.max(MIN_LEARNED_TOKENS, learned.outputHigh + change);
  }

  #find(account: string, model: string): Learned | undefined {
    const last = this.#last;
    if (last?.account === account && last.model === model) return last.learned;
    const learned = this.#learned.get(keyOf(account, model));
    if (learned) this.#last = { account, model, learned };
    return learned;
  }

  #entry(account: string, model: string, firstOutput: number): Learned {
    const known = this.#find(account, model);
    if (known) return known;
    const fresh = { ratio: 1, outputHigh: firstOutput, samples: 0 };
    this.#learned.set(keyOf(account, model), fresh);
    return fresh;
  }
}

function keyOf(account: string, model: string): string {
  return `${account} ${model}`;
}
