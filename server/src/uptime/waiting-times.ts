/**
 * Times to the first token as a histogram with growing steps: histograms of hours and replicas can be added up, medians
 * cannot.
 */

/** Upper bounds in ms: from 50 ms each a quarter more, up to over two minutes. A time is known to within an eighth. */
const BOUNDS = Array.from({ length: 37 }, (_, at) => Math.round(50 * 1.25 ** at));

export const STEPS = BOUNDS.length + 1;

export function stepOf(ms: number): number {
  // A binary search, because this runs for every request.
  let low = 0;
  let high = BOUNDS.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ms <= (BOUNDS[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The middle of the step that holds this share of all times; undefined where nothing was measured. */
export function quantile(counts: readonly number[], share: number): number | undefined {
  const all = counts.reduce((sum, one) => sum + one, 0);
  if (all === 0) return undefined;
  let seen = 0;
  for (const [step, one] of counts.entries()) {
    seen += one;
    if (seen >= all * share) return middleOf(step);
  }
  return undefined;
}

function middleOf(step: number): number {
  const upper = BOUNDS[step] ?? (BOUNDS.at(-1) as number) * 1.25;
  const lower = step === 0 ? 0 : (BOUNDS[step - 1] as number);
  return Math.round((lower + upper) / 2);
}
