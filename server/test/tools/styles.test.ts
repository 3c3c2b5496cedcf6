/** The rules of web/src/style, which no linter of ours knows. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../../web/src', import.meta.url));
const sheets = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.css'))
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '') }));

const lines = (found: RegExp, except?: string) =>
  sheets
    .filter(({ name }) => name !== except)
    .flatMap(({ name, text }) =>
      text.split('\n').flatMap((line) => (found.test(line) ? [`${name}: ${line.trim()}`] : [])),
    );

it('no rule outweighs others by !important: the last layer does that', () => {
  expect(sheets.length).toBeGreaterThan(20);
  expect(lines(/!important/)).toEqual([]);
});

it('lines, gaps and corners have names: no pixel outside the tokens', () => {
  expect(lines(/(?<![\w.-])[\d.]+px/, 'style/tokens.css')).toEqual([]);
});

it('every stylesheet of an entry stands in a layer', () => {
  const imports = sheets
    .filter(({ name }) => name === 'app.css' || name === 'site.css')
    .flatMap(({ text }) => text.match(/@import[^;]*;/g) ?? []);
  expect(imports.length).toBeGreaterThan(40);
  expect(imports.filter((one) => !/ layer\((?:parts|last)\);$/.test(one))).toEqual([]);
});
