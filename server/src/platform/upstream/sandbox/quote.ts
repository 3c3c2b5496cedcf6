/** The `quote` simulator: answers with the numbered passages of the prompt that share most words with the question. */

interface Passage {
  number: string;
  text: string;
}

const OPENING = /<(passage|source|document) ([^<>]{0,300})>/g;
const NUMBER = /\b(?:n|no|index|id|number)="?(\d{1,9})/;
const BRACKETED = /^\[(\d+)\][ \t]+(.+)$/gm;
const MAX_PASSAGES = 200;
const QUOTED = 3;
const ENGLISH = {
  none: 'Sandbox simulator: no passages were given, so there is nothing to quote.',
  some: 'Sandbox simulator, quoting the passages:',
};
const PERSIAN: typeof ENGLISH = {
  none: 'شبیه‌ساز آزمایشی: بندی داده نشده است تا از آن نقل شود.',
  some: 'شبیه‌ساز آزمایشی، از بندهای داده‌شده:',
};
const EXCERPT_CHARACTERS = 400;

export function quotePassages(prompt: string, question: string, isPersian: boolean): string {
  const words = isPersian ? PERSIAN : ENGLISH;
  const passages = findPassages(prompt);
  if (passages.length === 0) return words.none;
  const asked = new Set(wordsOf(question));
  const best = passages
    .map((passage, at) => ({ passage, at, shared: wordsOf(passage.text).filter((word) => asked.has(word)).length }))
    .sort((a, b) => b.shared - a.shared || a.at - b.at)
    .slice(0, QUOTED)
    // Sharing only an article with the question is not relevance: the others must come near the best one.
    .filter(({ shared }, i, [first]) => i === 0 || (shared > 0 && shared * 2 >= (first?.shared ?? 0)));
  const quotes = best.map(({ passage }) => `«${excerpt(passage.text)}» [${passage.number}]`);
  return `${words.some}\n${quotes.join('\n')}`;
}

function findPassages(prompt: string): Passage[] {
  const tagged = taggedPassages(prompt);
  if (tagged.length > 0) return tagged;
  return [...prompt.matchAll(BRACKETED)]
    .slice(0, MAX_PASSAGES)
    .map((match) => ({ number: match[1] ?? '', text: clean(match[2] ?? '') }));
}

function taggedPassages(prompt: string): Passage[] {
  const passages: Passage[] = [];
  let readTo = 0;
  for (const { index, 0: tag, 1: name, 2: attributes } of prompt.matchAll(OPENING)) {
    const number = NUMBER.exec(attributes ?? '')?.[1];
    if (number === undefined || index < readTo) continue;
    const start = index + tag.length;
    const end = prompt.indexOf(`</${name}>`, start);
    // A passage without its end is not counted, and no later one of its name is searched.
    if (end < 0 || passages.length === MAX_PASSAGES) break;
    passages.push({ number, text: clean(prompt.slice(start, end)) });
    readTo = end;
  }
  return passages;
}

function clean(text: string): string {
  return text
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function excerpt(text: string): string {
  return text.length <= EXCERPT_CHARACTERS ? text : `${text.slice(0, EXCERPT_CHARACTERS)}…`;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
}
