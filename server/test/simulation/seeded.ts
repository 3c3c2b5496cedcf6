/** Chance that repeats itself: the same seed tells the same story. */
export interface Chance {
  /** Whole number from 0 to below `bound`. */
  below(bound: number): number;
  pick<T>(from: readonly T[]): T;
  /** True in `percent` of a hundred cases. */
  happens(percent: number): boolean;
}

export function seeded(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (bound: number) => next() % bound;
  return {
    below,
    pick<T>(from: readonly T[]): T {
      if (from.length === 0) throw new Error('nothing to pick from');
      return from[below(from.length)] as T;
    },
    happens: (percent) => below(100) < percent,
  };
}
