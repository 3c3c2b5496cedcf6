/**
 * Builds server/src/core/data/token-pieces.gen.json: which pieces of text are one token, for core/token-estimate.ts.
 * Taken from the public vocabularies o200k and cl100k (gpt-tokenizer, a development dependency).
 *
 *   node tools/build-token-pieces.mjs
 */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import older from 'gpt-tokenizer/bpeRanks/cl100k_base';
import newer from 'gpt-tokenizer/bpeRanks/o200k_base';

const OUTPUT = join(dirname(fileURLToPath(import.meta.url)), '../server/src/core/data/token-pieces.gen.json');

const LATIN = /^ ?[A-Za-z]+$/;
const PUNCTUATION = /^ ?[!-/:-@[-`{-~]{1,4}\n{0,2}$/;
const LETTERS = /^ ?[\p{L}\p{M}\u200c]+$/u;
const ARABIC = /[\u0600-\u06ff]/;
const SYMBOL = /^[^\p{L}\p{N}\s]+$/u;
/** Words of scripts other than Latin and Arabic are kept as short pieces only: they would be most of the file. */
const MAX_LETTERS = 2;
const LONGEST = 16;

const MOST_COMMON = 110_000;
const text = (tokens) =>
  new Set(tokens.slice(0, MOST_COMMON).filter((token) => typeof token === 'string' && token.length <= LONGEST));
const inNewer = text(newer);
const inOlder = text(older);

const isWanted = (token) => {
  if (LATIN.test(token) || PUNCTUATION.test(token)) return inOlder.has(token);
  if (!/[^ -~\s]/.test(token)) return false;
  if (LETTERS.test(token)) return ARABIC.test(token) || token.trim().length <= MAX_LETTERS;
  return SYMBOL.test(token) && token.length <= 2;
};

/** Sorted; each as the length it shares with the one before (base 36) and the rest. */
function frontCoded(tokens) {
  let before = '';
  const lines = [...tokens].sort().map((token) => {
    let shared = 0;
    while (shared < before.length && before[shared] === token[shared]) shared++;
    // A pair of surrogates stays whole: half of one is not valid text.
    if (/[\udc00-\udfff]/.test(token[shared] ?? '')) shared--;
    before = token;
    return shared.toString(36) + token.slice(shared);
  });
  return lines.join('\t');
}

const wanted = [...inNewer].filter(isWanted);
const pieces = {
  both: frontCoded(wanted.filter((token) => inOlder.has(token))),
  newer: frontCoded(wanted.filter((token) => !inOlder.has(token))),
};
writeFileSync(OUTPUT, `${JSON.stringify(pieces)}\n`);
process.stdout.write(`${wanted.length} pieces, ${Buffer.byteLength(JSON.stringify(pieces))} bytes\n`);
