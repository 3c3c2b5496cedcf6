/** Finds the server of this data directory; where none runs, wires the service without listening. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ConfigFile,
  checkConfig,
  NO_FILE,
  type ProcessEnvironment,
  readConfig,
  readEnvironment,
} from '../config/index.ts';
import { isJsonObject, parseTrustedJson } from '../core/json.ts';
import { hasSlot, slotDirectories } from '../platform/data-slot.ts';
import { DatabaseNotUsable, SchemaRefused } from '../platform/db/index.ts';
import { localOperatorToken } from '../platform/operator-token.ts';
import { openSecretBox } from '../platform/secrets.ts';
import { createLog } from '../platform/telemetry/index.ts';
import { TransportError } from '../platform/upstream/index.ts';
import { wire } from '../wiring.ts';
import { type AdminClient, inProcess, isWell, overHttp } from './client.ts';

const PROBE_MS = 3_000;

export class CannotStart extends Error {}

/** `say` writes to standard error, because standard output carries only the answer. */
export async function connect(variables: NodeJS.ProcessEnv, say: (line: string) => void): Promise<AdminClient> {
  const { environment: given, mistakes } = readEnvironment(variables);
  const environment = { ...given, dataDir: await dataDirOf(given.dataDir) };
  const config = await configOf(environment, variables);
  const check = checkConfig(environment.configFile, config, mistakes);
  if (!check.ok) throw new CannotStart(check.lines.join('\n'));
  const address = await runningServer(environment.dataDir);
  if (address !== undefined) return overHttp(address, await tokensOf(environment));
  return wired(environment, config, say);
}

async function configOf({ configFile }: ProcessEnvironment, variables: NodeJS.ProcessEnv): Promise<ConfigFile> {
  if (configFile === undefined) return NO_FILE;
  const text = await readFile(configFile, 'utf8').catch((error: Error) => {
    throw new CannotStart(`DARGAH_CONFIG: ${error.message}`);
  });
  return readConfig(text, variables);
}

/**
 * The token that is derived from the master key always works on its server; a shell without that key may have the
 * environment's token instead.
 */
async function tokensOf(environment: ProcessEnvironment): Promise<string[]> {
  const { operatorToken } = environment;
  return [await localTokenOf(environment), ...(operatorToken === undefined ? [] : [operatorToken])];
}

async function localTokenOf({ masterKey, dataDir }: ProcessEnvironment): Promise<string> {
  return localOperatorToken(await openSecretBox({ masterKey, dataDir }));
}

/** Several processes may share a volume; the first one that answers is used. */
async function dataDirOf(dataDir: string): Promise<string> {
  if (!hasSlot(dataDir)) return dataDir;
  const directories = [...slotDirectories(dataDir)];
  for (const directory of directories) if ((await runningServer(directory)) !== undefined) return directory;
  return directories[0] ?? dataDir;
}

/** The process id may by now belong to another program, so the address is tried too. */
async function runningServer(dataDir: string): Promise<string | undefined> {
  const noted = parseTrustedJson(await readFile(join(dataDir, 'server.json'), 'utf8').catch(() => ''));
  if (!isJsonObject(noted)) return undefined;
  const { pid, address } = noted;
  if (typeof pid !== 'number' || typeof address !== 'string' || !isAlive(pid)) return undefined;
  try {
    return (await isWell(address, PROBE_MS)) ? address : undefined;
  } catch (error) {
    if (error instanceof TransportError && error.failure.code === 'refused') return undefined;
    throw new CannotStart(`the server at ${address} (process ${pid}) does not answer: ${(error as Error).message}`);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function notUsable(cause: string): string {
  return [
    `No server runs for this data directory, and its database cannot be used: ${cause}.`,
    'Start the server (npm start), or name the right place with DARGAH_DATA_DIR or DATABASE_URL.',
  ].join('\n');
}

async function wired(
  environment: ProcessEnvironment,
  config: ConfigFile,
  say: (line: string) => void,
): Promise<AdminClient> {
  const { log, registerSecret, flush } = createLog({ level: 'silent' });
  const service = await wire({ environment, config, log, registerSecret, progress: say, asItIs: true }).catch(
    (error: unknown) => {
      if (error instanceof SchemaRefused || !(error instanceof DatabaseNotUsable)) throw error;
      throw new CannotStart(notUsable(error.message));
    },
  );
  return inProcess(service.app, await localTokenOf(environment), async () => {
    await service.stop();
    flush();
  });
}
