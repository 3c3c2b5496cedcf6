/**
 * Has the machine code of the embedded database's engine made beside the bundle, where there is none (make-engine-code.mjs). A step
 * of the build, and what a server does that started without it. Without it starts take longer and nothing else, so a failure
 * ends no build.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants as access, accessSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';

const script = fileURLToPath(new URL('make-engine-code.mjs', import.meta.url));
const AFTER_START_MS = 30_000;
/** V8 takes several hundred MB to compile the database's SQL parser, and a container that has them not would end the server too. */
const TAKEN_BYTES = 2 ** 30;
/** Flags that change no code, and that would make the other process change some of its own (platform/young-generation.ts). */
const OF_THIS_PROCESS = /^--(inspect|min-semi-space|max-semi-space)/;
/** What configures this server must not configure the one that is asked. These change what V8 is told, or where files are. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'NODE_OPTIONS', 'DARGAH_V8_FLAGS'];

/** Undefined where it cannot be made. `flags`: V8 takes the code only from a process that had the same. */
function startMaking(flags, stderr) {
  if (process.availableMemory() < TAKEN_BYTES) return undefined;
  const env = Object.fromEntries(PASSED_ON.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])));
  const child = spawn(process.execPath, [...flags, script], { env, stdio: ['ignore', 'ignore', stderr] });
  // Whatever else runs comes first. Threads have the priority of the one that starts them, so it is set before there are any.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  return child;
}

/** After the start, when nobody waits. The server ends without waiting for it. A release may be there only to be read. */
export function makeEngineCodeLater() {
  if (!isWritable(new URL('../dist/', import.meta.url))) return;
  const flags = process.execArgv.filter((flag) => !OF_THIS_PROCESS.test(flag));
  const make = () => startMaking(flags, 'ignore')?.on('error', () => undefined);
  setTimeout(() => make()?.unref(), AFTER_START_MS).unref();
}

function isWritable(folder) {
  try {
    accessSync(folder, access.W_OK);
    return true;
  } catch {
    return false;
  }
}

async function buildEngineCode() {
  const child = startMaking([], 'pipe');
  if (child === undefined) return;
  let complaint = '';
  child.stderr.on('data', (text) => {
    complaint = (complaint + text).slice(-2_000);
  });
  const [code, signal] = await once(child, 'close');
  if (code !== 0)
    console.warn(
      `no code of the database's engine was made, so starts take longer (${signal ?? code}): ${complaint.trim()}`,
    );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildEngineCode();
