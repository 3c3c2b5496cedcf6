/**
 * The shortest prefix, in tokens, that a model's provider keeps in its prompt cache where prefixes must be marked; a
 * mark on a shorter one has no effect.
 */

/** By parts of the model's name, which is the same wherever the model is served. The first that is found counts. */
const LEAST: readonly (readonly [RegExp, number])[] = [
  [/claude-(?:opus|fable|mythos)-5/, 512],
  [/claude-opus-4[.-]7/, 2_048],
  [/claude-(?:opus-4[.-][56]|haiku-4[.-]5)/, 4_096],
  [/claude-(?:3[.-]5-haiku|3-haiku)/, 2_048],
  [/claude-(?:opus|sonnet)-/, 1_024],
  [/claude-3[.-][57]-sonnet/, 1_024],
];

/** The longest of all vendors' minimums. */
const UNKNOWN = 4_096;

/** `names`: all names of the model. */
export function leastCachedPrefix(...names: string[]): number {
  return LEAST.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1] ?? UNKNOWN;
}
