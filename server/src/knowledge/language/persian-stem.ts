/**
 * A light stemmer: removes Persian affixes (plurals, possessives, comparatives, the verb's می). It need not be correct,
 * only the same for a word in the index and in the question; rarer inflections are found by similarity of letters.
 */

/** Longest first, each with the letters that must remain. */
const SUFFIXES: readonly (readonly [ending: string, remaining: number])[] = [
  ['هایشان', 2],
  ['هایتان', 2],
  ['هایمان', 2],
  ['هایی', 2],
  ['هایم', 2],
  ['هایت', 2],
  ['هایش', 2],
  ['های', 2],
  ['ترین', 3],
  ['شان', 3],
  ['مان', 3],
  ['تان', 3],
  ['ها', 2],
  ['تر', 3],
  ['ند', 3],
  ['ات', 3],
  ['ان', 3],
  ['ای', 3],
  ['یی', 3],
  ['ی', 3],
  ['م', 4],
  ['ت', 4],
  ['ش', 4],
];
const PREFIXES = ['نمی', 'می'];
const MIN_AFTER_PREFIX = 3;
/** `کتاب-ها-یی`: more than two endings do not occur. */
const ROUNDS = 2;

export function stemPersian(word: string): string {
  let stem = word;
  const prefix = PREFIXES.find((each) => stem.startsWith(each) && stem.length - each.length >= MIN_AFTER_PREFIX);
  if (prefix !== undefined) stem = stem.slice(prefix.length);
  for (let round = 0; round < ROUNDS; round++) {
    const found = SUFFIXES.find(
      ([ending, remaining]) => stem.endsWith(ending) && stem.length - ending.length >= remaining,
    );
    if (!found) break;
    stem = stem.slice(0, -found[0].length);
  }
  return stem;
}
