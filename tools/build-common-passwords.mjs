/**
 * Writes `server/src/people/data/common-passwords.gen.json`: what the passwords that people choose most often are made of. Run it
 * by hand, with a text of passwords, the most frequent first, separated by lines or commas:
 *
 *   node tools/build-common-passwords.mjs <file>
 *
 * Only the words are kept: digits and signs at both ends are taken off, because `refuseWeakPassword` takes them off too. Which
 * passwords are frequent is a fact that nobody owns.
 */
import { readFile, writeFile } from 'node:fs/promises';

const MAX = 10_000;
const [source] = process.argv.slice(2);
if (source === undefined) throw new Error('name the file of passwords, the most frequent first');
const given = (await readFile(source, 'utf8')).split(/[\s,]+/).filter(Boolean);
const kept = new Set();
for (const [index, password] of given.entries()) {
  // Longer ones pass the bound of length by themselves, so they are kept however rare they are.
  if (index >= MAX && password.length < 10) continue;
  const folded = password.normalize('NFKC').toLowerCase();
  const word = folded.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  if (word.length >= 4) kept.add(word);
  else if (folded.length >= 10) kept.add(folded);
}
const target = new URL('../server/src/people/data/common-passwords.gen.json', import.meta.url);
await writeFile(target, `${JSON.stringify([...kept].sort().join(' '))}\n`);
console.log(`${kept.size} words`);
