/**
 * A person's name made safe for our messages: letters, marks, short numbers and single spaces. Anything that could be a
 * link, an address, a telephone number or a control character is removed, and the name is cut short, so that nobody can
 * put text of theirs into our messages.
 */
const MAX_CHARACTERS = 30;
const MAX_READ = 300;
const MAX_MARKS = 2;
/** A longer number, with or without spaces, could be dialled. */
const MAX_DIGITS = 4;
/** The zero-width non-joiner of Persian stays where it joins two letters. */
const JOINER = '\u200c';

export function plainName(text: string): string {
  const words = wordsOf(text.slice(0, MAX_READ).normalize('NFKC'));
  const kept = Array.from(withoutLongNumbers(words).join(' ')).slice(0, MAX_CHARACTERS).join('').trim();
  return kept.endsWith(JOINER) ? kept.slice(0, -1) : kept;
}

function wordsOf(text: string): string[] {
  const words = [''];
  let marks = 0;
  let joins = false;
  for (const char of text) {
    const isMark = /^\p{M}$/u.test(char);
    marks = isMark ? marks + 1 : 0;
    const last = words.length - 1;
    const isInWord = words[last] !== '';
    if (char === JOINER && isInWord && !joins) joins = true;
    else if (/^[\p{L}\p{Nd}]$/u.test(char)) {
      words[last] += (joins ? JOINER : '') + char;
      joins = false;
    } else if (isMark && isInWord && !joins) {
      if (marks <= MAX_MARKS) words[last] += char;
    } else {
      joins = false;
      if (isInWord) words.push('');
    }
  }
  return words.filter((word) => word !== '');
}

/** Digits of neighbouring words count together: `0912 123 4567` is one number. */
function withoutLongNumbers(words: readonly string[]): string[] {
  const runs: { digits: number; at: number[] }[] = [];
  let open: { digits: number; at: number[] } | undefined;
  words.forEach((word, at) => {
    const digits = Array.from(word).filter((char) => /^\p{Nd}$/u.test(char)).length;
    if (digits === 0) open = undefined;
    else if (open) {
      open.digits += digits;
      open.at.push(at);
    } else {
      open = { digits, at: [at] };
      runs.push(open);
    }
  });
  const dropped = new Set(runs.filter(({ digits }) => digits > MAX_DIGITS).flatMap(({ at }) => at));
  return words.filter((_, at) => !dropped.has(at));
}
