/** From how many tokens on a prefix is kept in the prompt cache of a model whose provider wants it marked; below, a mark does nothing. */

/** By parts of the model's name, which is the same wherever the model is served. The first that is found counts. */
const LEAST: readonly (readonly [RegExp, number])[] = [
  [/claude-(?:opus|fable|mythos)-5/, 512],
  [/claude-opus-4[.-]7/, 2_048],
  [/claude-(?:opus-4[.-][56]|haiku-4[.-]5)/, 4_096],
  [/claude-(?:3[.-]5-haiku|3-haiku)/, 2_048],
  [/claude-(?:opus|sonnet)-/, 1_024],
  [/claude-3[.-][57]-sonnet/, 1_024],
];

/** The longest of all. */
const UNKNOWN = 4_096;

/** `names`: all that the model is called by. */
export function leastCachedPrefix(...names: string[]): number {
  return LEAST.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1] ?? UNKNOWN;
}
