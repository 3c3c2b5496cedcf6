/**
 * Two mends of the lockfile. First, a few packages ask for a newer Node than they need; our tests run them on the oldest Node
 * that we support, and without the field `npm ci` does not warn everyone who installs the gateway. Second, it adds the platform
 * packages that `npm install` left out: a registry mirror may lack the binaries of other platforms, npm then forgets them, and
 * `npm ci` refuses the lockfile as incomplete. Run it after every `npm install`:
 *   node tools/complete-lockfile.mjs
 */
import { readFileSync, writeFileSync } from 'node:fs';

const path = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(path, 'utf8'));

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32', 'aix'];
const PROCESSORS = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el', 'wasm32'];

/** `@scope/binding-linux-arm64-musl` → { os, cpu, libc }. */
function platformOf(name) {
  const words = name.split(/[/-]/);
  const os = SYSTEMS.find((system) => words.includes(system));
  const cpu =
    PROCESSORS.find((processor) => words.includes(processor)) ?? (name.includes('wasm32') ? 'wasm32' : undefined);
  const libc = words.some((word) => word.startsWith('musl'))
    ? 'musl'
    : words.some((word) => word.startsWith('gnu'))
      ? 'glibc'
      : undefined;
  return { os, cpu, libc };
}

/** Where Node would look for `name` from the package at `from`. */
function isLocked(from, name) {
  for (let at = from; ; at = at.slice(0, at.lastIndexOf('/node_modules/'))) {
    if (lock.packages[`${at}/node_modules/${name}`]) return true;
    if (!at.includes('/node_modules/')) break;
  }
  return lock.packages[`node_modules/${name}`] !== undefined;
}

let added = 0;
for (const [at, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isLocked(at, name)) continue;
    const { os, cpu, libc } = platformOf(name);
    if (!os && !cpu) continue;
    lock.packages[`node_modules/${name}`] = {
      version,
      ...(cpu ? { cpu: [cpu] } : {}),
      ...(entry.dev ? { dev: true } : {}),
      ...(libc && os === 'linux' ? { libc: [libc] } : {}),
      optional: true,
      ...(os ? { os: [os] } : {}),
    };
    added++;
  }
}
/** Clients under test, and the digests under the second factor (server/test/start/node-versions.test.ts uses them on 20.18). */
const ASK_TOO_MUCH = /(^|\/)node_modules\/(openai7?|@langchain\/openai|@noble\/hashes|@google\/genai)$/;
for (const [at, entry] of Object.entries(lock.packages)) if (ASK_TOO_MUCH.test(at)) delete entry.engines;

const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
lock.packages = Object.fromEntries(sorted);
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} platform packages added`);
