/** Compiled code is kept of a program as it is, and never taken for another, broken or made for other flags. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeEach, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'dargah-compiled-'));
const program = join(folder, 'program.cjs');
const kept = join(folder, 'kept');
const PROGRAM = `(function (exports, require, module, __filename, __dirname, programUrl, importPackage) {
exports.answer = () => 41;
exports.isHere = programUrl.endsWith('/program.cjs') && __filename === require('node:path').join(__dirname, 'program.cjs');
exports.late = () => importPackage('node:os');
exports.fail = () => { throw new TypeError('no'); };
})`;

beforeEach(() => {
  rmSync(kept, { recursive: true, force: true });
  writeFileSync(program, PROGRAM);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Start {
  wasKept: boolean;
  answer: number;
  isHere: boolean;
  eol: string;
  trace: string;
}

/** In a process of its own each time: within one, V8 itself remembers what it has compiled. */
function start(flags: string[] = [], env: Record<string, string> = {}): Start {
  const script = `
    import { setFlagsFromString } from 'node:v8';
    import { readProgram } from ${JSON.stringify(new URL('../../bin/compiled-code.mjs', import.meta.url).href)};
    const { exports, wasKept, keep } = readProgram(new URL(${JSON.stringify(pathToFileURL(program).href)}), ${JSON.stringify(kept)});
    const { EOL } = await exports.late();
    let trace;
    try { exports.fail(); } catch (error) { trace = error.stack.split('\\n')[1].trim(); }
    console.log(JSON.stringify({ wasKept, answer: exports.answer(), isHere: exports.isHere, eol: EOL, trace }));
    // As a running service does.
    setFlagsFromString('--semi-space-growth-factor=1');
    keep();`;
  const args = [...flags, '--input-type=module', '-e', script];
  const said = execFileSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, ...env } });
  return JSON.parse(said) as Start;
}

function keptFile(): string {
  const [name, ...others] = readdirSync(kept);
  expect(others).toEqual([]);
  return join(kept, name ?? '');
}

test('the next start takes it, and the program does the same', () => {
  const first = start();
  expect(first).toMatchObject({ wasKept: false, answer: 41, isHere: true, eol: '\n' });
  expect(first.trace).toBe(`at exports.fail (${pathToFileURL(program).href}:5:30)`);
  expect(start()).toEqual({ ...first, wasKept: true });
});

test('another program of the same length is compiled, and kept instead', () => {
  start();
  writeFileSync(program, PROGRAM.replace('41', '42'));
  expect(start()).toMatchObject({ wasKept: false, answer: 42 });
  expect(start()).toMatchObject({ wasKept: true, answer: 42 });
});

test('broken code is not taken, and is replaced', () => {
  start();
  const whole = readFileSync(keptFile());
  const broken = [whole.subarray(0, 2), whole.subarray(0, whole.length - 8), Buffer.from(whole)];
  broken[2]?.writeUInt8(whole.readUInt8(whole.length >> 1) ^ 1, whole.length >> 1);
  for (const bytes of broken) {
    writeFileSync(keptFile(), bytes);
    expect(start()).toMatchObject({ wasKept: false, answer: 41 });
    expect(start()).toMatchObject({ wasKept: true, answer: 41 });
  }
});

test('other flags have code of their own', () => {
  start();
  expect(start(['--no-opt'])).toMatchObject({ wasKept: false });
  expect(start(['--no-opt'])).toMatchObject({ wasKept: true });
  expect(start()).toMatchObject({ wasKept: true });
});

test('nothing is kept where that is switched off, or nothing can be written', () => {
  start([], { NODE_DISABLE_COMPILE_CACHE: '1' });
  expect(() => readdirSync(kept)).toThrow('ENOENT');
  writeFileSync(kept, 'a file where the folder would be');
  expect(start()).toMatchObject({ wasKept: false, answer: 41 });
  rmSync(kept);
  mkdirSync(kept);
  start();
  expect(start([], { NODE_DISABLE_COMPILE_CACHE: '1' })).toMatchObject({ wasKept: false });
});
