/** The glossary defines a term once, and its Persian words are those that pages and documents really use. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const GLOSSARY = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8');
const PERSIAN = /[\u0600-\u06ff][\u0600-\u06ff\u200c ]*[\u0600-\u06ff]/g;

function textsUnder(folder: string, ending: RegExp): string {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return (
    names
      // A paper that was issued keeps the words it was issued with.
      .filter((name) => ending.test(name) && !name.endsWith('invoice-text.ts'))
      .map((name) => readFileSync(join(ROOT, folder, name), 'utf8'))
      .join('\n')
  );
}

/** How pages and documents are written: English, Persian, and the words that are not used. */
const LANGUAGE = /^## The language of pages and documents$[^#]*/m.exec(GLOSSARY)?.[0] ?? '';
const LETTER = '[\\u0620-\\u065f\\u066e-\\u06ef\\u200c]';
/** Words that people search for or choose as passwords are not ours. */
const NOT_TEXTS = /^(?!knowledge.language|people.weak-passwords).*\.ts$/;
const USED = textsUnder('web/src', /\.tsx?$/) + textsUnder('server/src', NOT_TEXTS) + textsUnder('docs', /\.fa\.md$/);

describe('the glossary', () => {
  it('defines a term once', () => {
    const terms = [...GLOSSARY.matchAll(/^\| \*\*([^|]+?)\*\*(?: \([^)]+\))? \|/gm)].map(([, term]) => term);
    expect(terms.length).toBeGreaterThan(60);
    expect(terms.filter((term, at) => terms.indexOf(term) !== at)).toEqual([]);
  });

  it('has the Persian words that pages use', () => {
    const words = [...GLOSSARY.replace(LANGUAGE, '').matchAll(PERSIAN)].map(([word]) => word.trim());
    expect(words.length).toBeGreaterThan(60);
    expect(words.filter((word) => !USED.includes(word))).toEqual([]);
  });

  it('says which words pages use, and which they do not', () => {
    const rows = [...LANGUAGE.matchAll(/^\| [^|]+ \| ([^|]+) \| ([^|]+) \|$/gm)].slice(1);
    const wordsOf = (column: number) =>
      rows.flatMap((row) => (row[column] ?? '').split('،').flatMap((cell) => cell.match(PERSIAN) ?? []));
    const isUsed = (word: string) => new RegExp(`(?<!${LETTER})${word}(?!${LETTER})`).test(USED);
    expect(wordsOf(2).length).toBeGreaterThan(30);
    expect(wordsOf(1).filter((word) => !isUsed(word))).toEqual([]);
    expect(wordsOf(2).filter(isUsed)).toEqual([]);
  });
});
