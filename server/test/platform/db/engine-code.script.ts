/**
 * Keeps the code of a small engine and reads it again, whole and spoiled in many ways. In a process of its own: its flags make V8
 * compile the engine well at once, and V8 ends a process that runs broken code.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { readEngineCode, writeEngineCode } from '../../../src/platform/db/engine-code.ts';

const LOCAL_GET = 0x20;
const ADD = 0x6a;
const SUBTRACT = 0x6b;

declare const WebAssembly: {
  Module: new (code: Uint8Array) => WebAssembly.Module;
  Instance: new (module: WebAssembly.Module) => { exports: { of(a: number, b: number): number } };
};

/** Exports `of`, which takes two numbers. */
function engineThat(calculates: number): Uint8Array {
  const header = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  const types = [1, 7, 1, 0x60, 2, 0x7f, 0x7f, 1, 0x7f];
  const functions = [3, 2, 1, 0];
  const exported = [7, 6, 1, 2, 0x6f, 0x66, 0, 0];
  const code = [10, 9, 1, 7, 0, LOCAL_GET, 0, LOCAL_GET, 1, calculates, 0x0b];
  return Uint8Array.from([...header, ...types, ...functions, ...exported, ...code]);
}

function knowsNativeCalls(): boolean {
  try {
    new Function('return %DeserializeWasmModule(1, 2)');
    return true;
  } catch {
    return false;
  }
}

const [folder = ''] = process.argv.slice(2);
const path = join(folder, 'kept', 'code');
const engine = engineThat(ADD);
writeEngineCode(path, new WebAssembly.Module(engine), engine);
const whole = readFileSync(path);
const kept = readEngineCode(path, engine);

/** How many of the spoiled files were taken. */
function takenOf(files: Buffer[]): number {
  return files.filter((file) => {
    writeFileSync(path, file);
    return readEngineCode(path, engine) !== undefined;
  }).length;
}

const flipped = Array.from(whole, (byte, at) => {
  const file = Buffer.from(whole);
  file[at] = byte ^ 1;
  return file;
});
const cut = Array.from(whole, (_, at) => whole.subarray(0, at));
const report = {
  result: kept && new WebAssembly.Instance(kept).exports.of(2, 3),
  flippedTaken: takenOf(flipped),
  cutTaken: takenOf(cut),
  files: flipped.length + cut.length,
  wholeTaken: takenOf([whole]),
  ofAnotherEngine: readEngineCode(path, engineThat(SUBTRACT)) !== undefined,
  missing: readEngineCode(join(folder, 'none'), engine) !== undefined,
  underOtherFlags: (() => {
    setFlagsFromString('--stack-size=900');
    return readEngineCode(path, engine) !== undefined;
  })(),
  knowsNativeCalls: knowsNativeCalls(),
};
process.send?.(report);
process.disconnect();
