/** A light stemmer for English, in the spirit of Porter's but shorter: the same stem for the usual bends of a word. */

const DERIVED: readonly (readonly [ending: string, replacement: string])[] = [
  ['ization', 'ize'],
  ['isation', 'ize'],
  ['fulness', 'ful'],
  ['iveness', 'ive'],
  ['ousness', 'ous'],
  ['ation', 'ate'],
  ['ement', ''],
  ['ments', ''],
  ['ment', ''],
  ['ness', ''],
  ['able', ''],
  ['ible', ''],
  ['tion', 't'],
  ['sion', 's'],
  ['ally', 'al'],
  ['ly', ''],
  ['er', ''],
  ['or', ''],
];
const MIN_STEM = 4;

export function stemEnglish(word: string): string {
  if (word.length <= 3) return word;
  return withoutFinal(derived(withoutTense(withoutPlural(word))));
}

function withoutPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:x|ch|sh|z)es$/.test(word)) return word.slice(0, -2);
  return /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutTense(word: string): string {
  const match = /^(.*[aeiouy].*?)(?:ing|ed)$/.exec(word);
  const stem = match?.[1];
  if (stem === undefined || stem.length < 3) return word;
  // stopped → stop, but calling → call.
  return /([^lsz])\1$/.test(stem) ? stem.slice(0, -1) : stem;
}

function derived(word: string): string {
  for (const [ending, replacement] of DERIVED) {
    if (word.endsWith(ending) && word.length - ending.length >= MIN_STEM)
      return word.slice(0, -ending.length) + replacement;
  }
  return word;
}

function withoutFinal(word: string): string {
  if (word.length > 3 && word.endsWith('e')) return word.slice(0, -1);
  return word.length > 3 && word.endsWith('y') ? `${word.slice(0, -1)}i` : word;
}
