/** The glossary names every room of the server, and its Persian words are those that pages and documents really use. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const GLOSSARY = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8');
const PERSIAN = /[\u0600-\u06ff][\u0600-\u06ff\u200c ]*[\u0600-\u06ff]/g;

function textsUnder(folder: string, ending: RegExp): string {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => ending.test(name))
    .map((name) => readFileSync(join(ROOT, folder, name), 'utf8'))
    .join('\n');
}

describe('the glossary', () => {
  it('names every room of the server', () => {
    const rooms = readdirSync(join(ROOT, 'server/src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const named = GLOSSARY.slice(GLOSSARY.indexOf('## Rooms'));
    expect(rooms.map(({ name }) => name).filter((name) => !named.includes(`\`${name}\``))).toEqual([]);
  });

  it('defines a term once', () => {
    const terms = [...GLOSSARY.matchAll(/^\| \*\*([^|]+?)\*\*(?: \([^)]+\))? \|/gm)].map(([, term]) => term);
    expect(terms.length).toBeGreaterThan(80);
    expect(terms.filter((term, at) => terms.indexOf(term) !== at)).toEqual([]);
  });

  it('has the Persian words that pages use', () => {
    const used = textsUnder('web/src', /\.tsx?$/) + textsUnder('server/src', /\.ts$/) + textsUnder('docs', /\.fa\.md$/);
    const words = [...GLOSSARY.matchAll(PERSIAN)].map(([word]) => word.trim());
    expect(words.length).toBeGreaterThan(60);
    expect(words.filter((word) => !used.includes(word))).toEqual([]);
  });
});
