/**
 * How many pages of documents a model takes in one request, as far as its maker says. A provider refuses more at no
 * cost, so the hold for a document that cannot be parsed needs to cover no more.
 */

/** By parts of the model's name. The first that is found counts. */
const KNOWN: readonly (readonly [RegExp, number])[] = [
  // 100 with a context of 200,000 tokens.
  [/claude-/, 600],
  [/gemini-/, 1_000],
];

/** Other makers name no bound on pages; their context is full before this many. */
export const ANY_PAGES = 1_000;

/** `names`: all names of the model. */
export function documentPages(...names: string[]): number {
  return KNOWN.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1] ?? ANY_PAGES;
}
