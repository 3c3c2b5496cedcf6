/** Traces of the bundle name the lines of its sources, and a map that is not there takes nothing from a trace. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'dargah-positions-'));
const address = (name: string) => new URL(name, `${pathToFileURL(folder)}/`).href;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a trace names the sources where there is a map, and the bundle where there is none', () => {
  const code = 'export const fail = () => { throw new TypeError("no"); };\n';
  writeFileSync(join(folder, 'mapped.mjs'), code);
  writeFileSync(join(folder, 'plain.mjs'), code);
  // The first line from its first column on is line 3, column 5 of the source.
  const map = { version: 3, sources: ['../src/origin.ts'], names: [], mappings: 'AAEI' };
  writeFileSync(join(folder, 'mapped.mjs.map'), JSON.stringify(map));

  // In a process of its own: the one of the tests rewrites what it imports, and its traces.
  const script = `
    import { showSourcePositions } from ${JSON.stringify(new URL('../../bin/source-positions.mjs', import.meta.url).href)};
    showSourcePositions(${JSON.stringify(address(''))});
    for (const name of ['mapped', 'plain']) {
      const { fail } = await import(${JSON.stringify(address(''))} + name + '.mjs');
      try { fail(); } catch (error) { console.log(error.stack.split('\\n').slice(0, 2).join('\\n')); }
    }`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).split('\n');

  expect(said.slice(0, 2)).toEqual(['TypeError: no', `    at fail (${address('../src/origin.ts')}:3:5)`]);
  expect(said[2]).toBe('TypeError: no');
  expect(said[3]).toMatch(/^ {4}at fail \(file:.*plain\.mjs:1:\d+\)$/);
});
