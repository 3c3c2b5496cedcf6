/**
 * Fails on a regular expression of the server that may take more than linear time: one caller with the right text would
 * stop all others. A pattern without an unbounded repetition is linear by itself. Any other must stand in
 * tools/regexes.json, either under `linear` (proved by recheck) or under `reviewed` with the reason why it is harmless.
 *
 *   node tools/check-regexes.mjs            what `npm run check` does; needs nothing installed beside the workspace
 *   node tools/check-regexes.mjs --prove    proves patterns that are not listed and lists them; needs recheck beside us:
 *                                           npm install --no-save recheck@4.5.0
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from '@swc/core';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const listPath = join(root, 'tools', 'regexes.json');
const PLACES = ['server/src', 'server/packages'];
/** A repetition of at most so many is a constant factor. */
const MAX_REPEATS = 500;
const PROOF_MS = 20_000;

export function regexesOf(text) {
  const found = [];
  const walk = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (node.type === 'RegExpLiteral') found.push(`/${node.pattern}/${node.flags}`);
    for (const value of Object.values(node)) {
      if (Array.isArray(value)) value.forEach(walk);
      else walk(value);
    }
  };
  walk(parseSync(text, { syntax: 'typescript', target: 'es2022' }));
  return found;
}

/** Does the pattern hold `*`, `+`, `{n,}` or a very long `{n,m}` outside of a character class? */
export function repeatsWithoutBound(regex) {
  const pattern = regex.slice(1, regex.lastIndexOf('/'));
  let inClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '\\') at++;
    else if (character === '[') inClass = true;
    else if (character === ']') inClass = false;
    else if (inClass) continue;
    else if (character === '*' || character === '+') return true;
    else if (character === '{') {
      const [, , comma, most] = /^\{(\d{1,9})(,?)(\d{0,9})\}/.exec(pattern.slice(at)) ?? [];
      if (comma === ',' && (most === '' || Number(most) > MAX_REPEATS)) return true;
    }
  }
  return false;
}

function everywhere() {
  const found = new Map();
  for (const place of PLACES) {
    for (const name of readdirSync(join(root, place), { recursive: true })) {
      if (!name.endsWith('.ts') || name.includes('node_modules')) continue;
      for (const regex of regexesOf(readFileSync(join(root, place, name), 'utf8'))) {
        if (repeatsWithoutBound(regex)) found.set(regex, [...(found.get(regex) ?? []), join(place, name)]);
      }
    }
  }
  return found;
}

async function prove(regexes) {
  process.env.RECHECK_BACKEND = 'pure';
  const { checkSync } = await import('recheck');
  const linear = [];
  for (const regex of regexes) {
    const slash = regex.lastIndexOf('/');
    const { status, complexity } = checkSync(regex.slice(1, slash), regex.slice(slash + 1), { timeout: PROOF_MS });
    const proved = status === 'safe' && ['linear', 'safe'].includes(complexity?.type);
    if (proved) linear.push(regex);
    else console.error(`not proved (${status}, ${complexity?.summary ?? 'no result'}): ${regex}`);
  }
  return linear;
}

async function main() {
  const found = everywhere();
  const list = JSON.parse(readFileSync(listPath, 'utf8'));
  const known = new Set([...list.linear, ...Object.keys(list.reviewed)]);
  let unknown = [...found.keys()].filter((regex) => !known.has(regex));
  if (process.argv.includes('--prove')) {
    const linear = [...list.linear, ...(await prove(unknown))].filter((regex) => found.has(regex)).sort();
    const reviewed = Object.fromEntries(Object.entries(list.reviewed).filter(([regex]) => found.has(regex)));
    writeFileSync(listPath, `${JSON.stringify({ linear, reviewed }, null, 2)}\n`);
    unknown = unknown.filter((regex) => !linear.includes(regex));
  }
  for (const regex of unknown) {
    console.error(`${found.get(regex).join(', ')}: ${regex} may take more than linear time.`);
  }
  if (unknown.length === 0) return;
  console.error(
    'Bound its repetitions, or scan by hand; or prove it (node tools/check-regexes.mjs --prove); or say in tools/regexes.json why its input is short.',
  );
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
