/**
 * What this process has learned about each model: how far our token estimate is off, and how long its answers are.
 * Bounded by the number of models; lost on restart, when the defaults serve again.
 */

const WEIGHT = 0.05;
/** Real usage may be odd (hidden system prompts, cached images); the correction stays within reason. */
const RATIO_BOUNDS = { least: 0.5, most: 3 } as const;

interface Learned {
  ratio: number;
  /** High percentile of output tokens, moved by the quantile rule of stochastic approximation. */
  outputHigh: number;
  samples: number;
}

/** The share of answers that should fit into what is held for them. */
const PERCENTILE = 0.9;

export class History {
  readonly #models = new Map<string, Learned>();

  /** How many real tokens one estimated token is, for this model. */
  ratio(model: string): number {
    return this.#models.get(model)?.ratio ?? 1;
  }

  /** A realistic output length, undefined until enough answers were seen. */
  typicalOutput(model: string): number | undefined {
    const learned = this.#models.get(model);
    return learned && learned.samples >= 20 ? Math.ceil(learned.outputHigh) : undefined;
  }

  learn(model: string, estimatedInput: number, realInput: number, realOutput: number): void {
    let learned = this.#models.get(model);
    if (!learned) {
      learned = { ratio: 1, outputHigh: realOutput, samples: 0 };
      this.#models.set(model, learned);
    }
    learned.samples++;
    if (estimatedInput >= 32 && realInput > 0) {
      const seen = Math.min(
        RATIO_BOUNDS.most,
        Math.max(RATIO_BOUNDS.least, (realInput / estimatedInput) * learned.ratio),
      );
      learned.ratio += (seen - learned.ratio) * WEIGHT;
    }
    const step = Math.max(1, learned.outputHigh * WEIGHT);
    learned.outputHigh = Math.max(
      16,
      learned.outputHigh + (realOutput > learned.outputHigh ? step * PERCENTILE : -step * (1 - PERCENTILE)),
    );
  }
}
