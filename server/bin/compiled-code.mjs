/**
 * The server's code as V8 compiled it for an earlier start. Compiling it anew, and looking for its packages one by one, was half of
 * what a start reads its code in (docs/adr/0089).
 *
 * V8 takes compiled code only for its own version, flags and kind of processor, which are in the file's name with Node's version. It
 * does not notice another text of the same length or a broken file, so a checksum of both stands before the code.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import nodeModule, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { underStartFlags } from './v8-profile.mjs';

const PROGRAM = new URL('../dist/main.cjs', import.meta.url);
const FOLDER = fileURLToPath(new URL('../dist/.compiled', import.meta.url));
const CHECKSUM_BYTES = 4;
/** After the start, when nobody waits: what was compiled until then is what starts need. */
const PACKAGES_KEPT_AFTER_MS = 10_000;

const isOff = () => Boolean(process.env.NODE_DISABLE_COMPILE_CACHE);

/**
 * The tag alone is too little: Node changes its V8 without another version of V8, and 20.20 died of the code of 20.18 (`npm start` on
 * both, server/test/start/node-versions.test.ts).
 */
const codeName = () => `main-${process.version}-${process.arch}-${cachedDataVersionTag()}`;

/** What the program exports, whether it was compiled before, and what keeps all that is compiled by the time it is called. */
export function readProgram(program = PROGRAM, folder = FOLDER) {
  const { text, checksum } = readText(program);
  const file = join(folder, codeName());
  const cachedData = isOff() ? undefined : readCode(file, checksum);
  const script = new Script(text, { filename: program.href, cachedData });
  const wasKept = cachedData !== undefined && !script.cachedDataRejected;
  const module = { exports: {} };
  const path = fileURLToPath(program);
  const run = script.runInThisContext();
  run(module.exports, createRequire(program), module, path, dirname(path), program.href, (name) => import(name));
  return {
    exports: module.exports,
    wasKept,
    keep() {
      if (!wasKept && !isOff()) underStartFlags(() => writeCode(file, script.createCachedData(), checksum));
    },
  };
}

/** It has no letter beyond ASCII (build.mjs). */
function readText(program) {
  const bytes = readFileSync(program);
  return { text: bytes.latin1Slice(), checksum: crc32(bytes) };
}

function readCode(file, checksumOfText) {
  try {
    const kept = readFileSync(file);
    const code = kept.subarray(CHECKSUM_BYTES);
    return kept.readUInt32LE() === crc32(code, checksumOfText) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Where the folder cannot be written every start compiles. */
function writeCode(file, code, checksumOfText) {
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(code, checksumOfText));
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(draft, Buffer.concat([checksum, code]));
    renameSync(draft, file);
  } catch {}
}

/** Code of packages that are loaded by themselves. Node has a store for it from 22 on. */
export function keepCodeOfPackages() {
  if (nodeModule.enableCompileCache === undefined || isOff()) return;
  nodeModule.enableCompileCache(FOLDER);
  // Node writes it when a process ends in order; one that is killed would leave the next start nothing.
  setTimeout(() => nodeModule.flushCompileCache?.(), PACKAGES_KEPT_AFTER_MS).unref();
}
