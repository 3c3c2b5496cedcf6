/**
 * How many pages of documents a model takes in one request, as far as its maker says so. More are refused by the provider and
 * cost nothing, so a hold for a document that nobody can look into needs no more.
 */

/** By parts of the model's name. The first that is found counts. */
const KNOWN: readonly (readonly [RegExp, number])[] = [
  // 100 with a context of 200,000 tokens.
  [/claude-/, 600],
  [/gemini-/, 1_000],
];

/** The others say nothing of pages; their context ends before this. */
export const ANY_PAGES = 1_000;

/** `names`: all that the model is called by. */
export function documentPages(...names: string[]): number {
  return KNOWN.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1] ?? ANY_PAGES;
}
