/** Read the configuration, wire, listen, drain on SIGTERM. */
import cluster from 'node:cluster';
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type ConfigFile,
  checkConfig,
  findingText,
  NO_FILE,
  type ProcessEnvironment,
  readConfig,
  readEnvironment,
} from './config/index.ts';
import { systemClock } from './core/clock.ts';
import { learnPieces } from './core/token-pieces.ts';
import { greetingOf } from './greeting.ts';
import { JournalNotReadable } from './ledger/index.ts';
import { hasSlot, takeDataSlot } from './platform/data-slot.ts';
import {
  type BegunThread,
  DatabaseNotUsable,
  giveUp,
  lacksRoom,
  openingWith,
  SchemaRefused,
} from './platform/db/index.ts';
import { createLog } from './platform/telemetry/index.ts';
import { isSupervised, sayReady } from './processes/supervised.ts';
import { type Service, wire } from './wiring.ts';

/**
 * How many connections the kernel keeps waiting; the usual 511 would turn away a burst of thousands. The system's own limit
 * applies too.
 */
const BACKLOG = 8_192;
/**
 * Terminals and service managers signal the whole process group, and npm passes the signal on, so one signal may arrive twice
 * within this time.
 */
const ONE_ORDER_MS = 2_000;
/** What keeps a process alive after its work is done is given this long. */
const LEFT_OVER_MS = 2_000;
const LOOK_FOR_PARENT_MS = 500;
/**
 * Proxies leave out a process that refused them for a second (deploy/nginx, deploy/caddy), and reuse a kept connection within a
 * second or hardly ever. Ctrl+C does not wait for them.
 */
const BEHIND_A_PROXY = { openMs: 2_000, quietMs: 1_000 };

const NO_ROOM = 'the disk of the data directory or of the database has no room; free some, or set DARGAH_DATA_DIR';

const say = (line: string) => void process.stdout.write(`${line}\n`);

async function readFileConfig({ configFile }: ProcessEnvironment): Promise<ConfigFile> {
  if (configFile === undefined) return NO_FILE;
  try {
    return readConfig(await readFile(configFile, 'utf8'), process.env);
  } catch (error) {
    const message = `cannot be read: ${(error as Error).message}`;
    return { ...NO_FILE, mistakes: [{ path: 'DARGAH_CONFIG', message, line: undefined }] };
  }
}

async function main(args: string[], thread: Promise<BegunThread> | undefined): Promise<void> {
  const { environment: given, mistakes } = readEnvironment(process.env);
  // The slot is held until the process ends.
  const slot = hasSlot(given.dataDir) && !args.includes('--check-config') ? await takeDataSlot(given.dataDir) : given;
  const environment = { ...given, dataDir: slot.dataDir };
  const config = await readFileConfig(environment);
  const check = checkConfig(environment.configFile, config, mistakes);
  if (args.includes('--check-config')) {
    check.lines.forEach(say);
    endWith(check.ok ? 0 : 1);
    return;
  }
  if (!check.ok) {
    check.lines.forEach(say);
    if (thread) await giveUp(thread);
    endWith(1);
    return;
  }
  for (const warning of config.warnings) say(`warning  ${findingText(warning)}`);
  const { log, registerSecret, flush } = createLog({
    level: environment.logLevel === 'trace' ? 'debug' : environment.logLevel,
  });
  // While the database is opened; the first request would wait for it otherwise.
  setImmediate(learnPieces);
  const startThread = thread && openingWith(thread);
  const service = await wire({ environment, config, log, registerSecret, progress: say, startThread });
  const address = await listen(service, environment);
  if (address === undefined) {
    await service.stop();
    flush();
    endWith(1);
    return;
  }
  await noteAddress(environment, address);
  const secrets = await service.open();
  const greeting = await greetingOf({ secrets, database: service.database, address, environment });
  // First: whoever has read the greeting may end the server at once, and charges must be posted then too.
  drainOnSignal(service, flush);
  sayReady();
  // Of several processes the first greets; the others would say the same.
  if (!isSupervised() || cluster.worker?.id === 1) say(greeting);
}

/**
 * Ends the process by leaving it nothing to do. `process.exit` waits for the engine's compiler, and where that waits for this thread
 * to collect garbage, neither ever ends (Node 24, nodejs/node#54918). So it is only for what keeps a process alive all the same,
 * as the channel to a supervisor does.
 */
function endWith(code: number): void {
  process.exitCode = code;
  if (isSupervised()) process.exit();
  setTimeout(() => process.exit(), LEFT_OVER_MS).unref();
}

/** Undefined, with the reason said, when the address cannot be had. */
async function listen({ app }: Service, { port, host }: ProcessEnvironment): Promise<string | undefined> {
  try {
    return await app.listen({ port, host, backlog: BACKLOG });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') say(`Port ${port} on ${host} is in use by another program; stop it, or set PORT.`);
    else if (code === 'EACCES')
      say(`Port ${port} on ${host} may not be opened by this user; set PORT to 1024 or higher.`);
    else if (code === 'EADDRNOTAVAIL') say(`${host} is no address of this machine; set HOST.`);
    else say(`The server cannot listen on port ${port} of ${host}: ${message}`);
    return undefined;
  }
}

/** So that the command line finds the running server. */
async function noteAddress({ dataDir }: ProcessEnvironment, address: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  await writeFile(join(dataDir, 'server.json'), JSON.stringify({ pid: process.pid, address }));
}

function drainOnSignal(service: Service, flush: () => void): void {
  let stoppingSince: number | undefined;
  const stop = (signal: string) => {
    if (stoppingSince !== undefined) {
      if (systemClock.monotonicMs() - stoppingSince > ONE_ORDER_MS) process.exit(1);
      return;
    }
    stoppingSince = systemClock.monotonicMs();
    say(`${signal}: no new requests; running ones finish, charges are posted`);
    service.stop(signal === 'SIGTERM' ? BEHIND_A_PROXY : undefined).then(
      () => {
        flush();
        endWith(0);
      },
      (error) => {
        say(`shutdown failed: ${error}`);
        endWith(1);
      },
    );
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  whenLeftBehind(() => stop('SIGTERM'));
}

/**
 * `npx dargah start`: npm signals the shell between itself and us, which ends and passes nothing on. A process whose parent ended
 * gets another one.
 */
function whenLeftBehind(stop: () => void): void {
  if (process.env['npm_command'] !== 'exec') return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stop(), LOOK_FOR_PARENT_MS).unref();
}

/** What an operator can mend is said in words; anything else is a fault of ours, with its trace. */
function cannotStart(error: unknown): never {
  if (error instanceof SchemaRefused) {
    say(error.message);
    process.exit(1);
  }
  const ours = error instanceof DatabaseNotUsable || error instanceof JournalNotReadable;
  const reason = ours ? error.message : lacksRoom(error) ? NO_ROOM : undefined;
  if (reason === undefined) throw error;
  say(`Dargah cannot start: ${reason}.`);
  process.exit(1);
}

/** `thread`: the embedded database's, where it has begun already. */
export async function startServer(args: string[], thread?: Promise<BegunThread>): Promise<void> {
  await main(args, thread).catch(cannotStart);
}

/** As a module of its own, which tests and fixtures make of it. In `server/dist` it is a script: `server/bin` calls `startServer`. */
function isTheProgram(): boolean {
  const [, script] = process.argv;
  return script !== undefined && existsSync(script) && realpathSync(script) === fileURLToPath(import.meta.url);
}

if (isTheProgram()) void startServer(process.argv.slice(2));
