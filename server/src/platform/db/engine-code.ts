/**
 * Machine code of the embedded database's engine, kept between starts. V8 compiles each function of the engine twice, first quickly
 * and, when it is called often, well; that was half of the work of a start. Browsers keep the well compiled code, but Node offers no
 * call for it. Two functions that V8 has for its own tests do the same (docs/adr/0088).
 *
 * V8 takes code only from its own version, for the same flags and the same kind of processor, and no other is ever run. But it
 * does not notice code that is broken or belongs to another engine, so a checksum of both stands before it.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { compileFunction } from 'node:vm';
import { crc32 } from 'node:zlib';

/** In other versions nobody has tried these two functions; 26 has none. */
const MAJORS = [20, 24];
const CHECKSUM_BYTES = 4;

const major = Number.parseInt(process.versions.node, 10);
export const hasEngineCode = MAJORS.includes(major);
/** Of each kind of process one: code for another is refused, and made anew in its place. */
export const ENGINE_CODE_NAME = `node${major}-${process.platform}-${process.arch}`;

/** Undefined when there is none that this process can run. */
export function readEngineCode(path: string, engine: Uint8Array): WebAssembly.Module | undefined {
  if (!hasEngineCode) return undefined;
  try {
    const file = readFileSync(path);
    const code = new Uint8Array(file.subarray(CHECKSUM_BYTES));
    if (file.readUInt32LE() !== checksumOf(code, engine)) return undefined;
    return nativeCall('DeserializeWasmModule', code.buffer, engine) as WebAssembly.Module | undefined;
  } catch {
    return undefined;
  }
}

/** Keeps what is compiled well by now. Nothing may be compiling meanwhile: V8 would end the process. */
export function writeEngineCode(path: string, module: WebAssembly.Module, engine: Uint8Array): void {
  if (!hasEngineCode) return;
  const code = new Uint8Array(nativeCall('SerializeWasmModule', module) as ArrayBuffer);
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(checksumOf(code, engine));
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, Buffer.concat([checksum, code]));
  renameSync(draft, path);
}

function checksumOf(code: Uint8Array, engine: Uint8Array): number {
  return crc32(engine, crc32(code, crc32(process.version)));
}

/** Only these few words are ever read while the flag stands. They are compiled with the call, so the call is made here too. */
function nativeCall(name: string, ...given: unknown[]): unknown {
  const names = given.map((_, index) => `given${index}`);
  setFlagsFromString('--allow-natives-syntax');
  try {
    return compileFunction(`return %${name}(${names.join(', ')})`, names)(...given);
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}
