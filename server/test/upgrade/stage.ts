/** What released versions left behind, brought to life again: their databases, their journals, and their own programs. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import pg from 'pg';
import { switches } from '../harness/switches.ts';
import { OPERATOR_TOKEN, PUBLIC_URL, tools } from './tools.ts';

const fixtures = fileURLToPath(new URL('fixtures', import.meta.url));
/** Below it, programs find the packages of this checkout. */
const cache = fileURLToPath(new URL('../../../node_modules/.cache/dargah', import.meta.url));

/** Every version that others may run. */
export const RELEASED: readonly string[] = readdirSync(fixtures).sort();

export interface Expected {
  version: string;
  made_at: number;
  secrets: { key: string; mobile: string; password: string; person: string; passkey: object; totp: string };
  account: string;
  requests: string[];
  charges: Record<string, { cost: string; state: string }>;
  wallets: Record<string, string>;
  receipts: Record<string, object>;
  orders: { id: string; state: string; gateway: string; amount: string }[];
  transfers: { id: string; kind: string; amount: string }[];
  papers: Record<string, { pdf: string }>;
  models: { id: string }[];
}

export function expectedOf(version: string): Expected {
  return JSON.parse(readFileSync(join(fixtures, version, 'expected.json'), 'utf8')) as Expected;
}

export interface Installation {
  dataDir: string;
  /** Undefined: the embedded database in the data directory. */
  databaseUrl: string | undefined;
  env: Record<string, string>;
  remove(): Promise<void>;
}

/** A data directory and a database as that version left them when it was killed. */
export async function restore(version: string, databaseUrl: string | undefined): Promise<Installation> {
  const dataDir = await mkdtemp(join(tmpdir(), 'dargah-upgrade-'));
  const from = join(fixtures, version);
  const env: Record<string, string> = {};
  if (databaseUrl === undefined) {
    const input = brotliDecompressSync(readFileSync(join(from, 'embedded.tar.br')));
    execFileSync('tar', ['-x', '-C', dataDir], { input });
  } else {
    await load(databaseUrl, gunzipSync(readFileSync(join(from, 'postgres.sql.gz'))).toString());
    env['DATABASE_URL'] = databaseUrl;
    env['DARGAH_MASTER_KEY'] = readFileSync(join(from, 'master-key'), 'utf8').trim();
  }
  await cp(join(from, 'journal'), join(dataDir, 'journal'), { recursive: true });
  return { dataDir, databaseUrl, env, remove: () => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }) };
}

/** A dump as plain statements; lines for psql alone are left out. */
async function load(databaseUrl: string, dump: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(dump.replace(/^\\.*$/gm, ''));
  await client.end();
}

/** The program of a released version, unpacked once per checkout. */
export async function programOf(version: string): Promise<string> {
  const folder = join(cache, `released-${version}`);
  if (!existsSync(folder)) {
    await mkdir(cache, { recursive: true });
    const draft = await mkdtemp(join(cache, 'draft-'));
    execFileSync('tar', ['-xz', '-C', draft], { input: readFileSync(join(fixtures, version, 'program.tar.gz')) });
    // Another test process may have been faster; its copy is as good.
    await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
  }
  return join(folder, 'dist/main.js');
}

export interface Running {
  origin: string;
  output(): string;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export interface StartOptions {
  /** Which main.js of a fixture or of `buildProgram`. */
  program: string;
  at: Installation;
  /** For that server it is this many milliseconds later than it really is. */
  shiftMs: number;
  env?: Record<string, string>;
}

export async function start({ program, at, shiftMs, env = {} }: StartOptions): Promise<Running> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['--import', tools('shift-clock.mjs'), program], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH,
      HOME,
      PORT: '0',
      DARGAH_DATA_DIR: at.dataDir,
      DARGAH_DISCOVERY: 'off',
      DARGAH_LOG_LEVEL: 'warn',
      DARGAH_PUBLIC_URL: PUBLIC_URL,
      DARGAH_OPERATOR_TOKEN: OPERATOR_TOKEN,
      DARGAH_SHIFT_MS: String(shiftMs),
      ...switches(),
      ...at.env,
      ...env,
    },
  });
  const said = outputOf(child);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  return { origin: await said.listening, output: said.text, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}

function outputOf(child: ChildProcess): { listening: Promise<string>; text(): string } {
  let text = '';
  const listening = new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      text += chunk.toString();
      const address = /listens on (http:\S+)\n/.exec(text)?.[1];
      if (address !== undefined) resolve(address);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it listened:\n${text}`)));
  });
  return { listening, text: () => text };
}

/** This checkout's migrations and more of a later version, in a folder of their own. */
export async function migrationsWith(
  more: Record<string, string>,
): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'dargah-migrations-'));
  await cp(fileURLToPath(new URL('../../migrations', import.meta.url)), folder, { recursive: true });
  for (const [name, sql] of Object.entries(more)) await writeFile(join(folder, name), sql);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
