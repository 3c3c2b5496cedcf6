/**
 * Gateways as processes of their own, for tests that kill them or run several beside each other. They run what
 * `npm start` runs: main.ts, bundled, with its settings from the environment.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { stringify } from 'yaml';
import { switches } from './switches.ts';

const server = fileURLToPath(new URL('../..', import.meta.url));
const cache = fileURLToPath(new URL('../../../node_modules/.cache/dargah', import.meta.url));

export interface Program {
  path: string;
  remove(): Promise<void>;
}

export interface BuildOptions {
  /** Changes sources on the way into the bundle. */
  plugins?: Plugin[];
  /** Instead of the project's own. */
  migrations?: string;
}

/** Bundles the sources as they are now; once per test file is enough. */
export async function buildProgram({ plugins = [], migrations }: BuildOptions = {}): Promise<Program> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'program-'));
  const source = join(server, 'src');
  const files = await readdir(source, { recursive: true });
  const workers = files.filter((name) => name.endsWith('.worker.ts'));
  await build({
    entryPoints: ['main.ts', ...workers].map((name) => join(source, name)),
    outdir: join(folder, 'dist'),
    entryNames: '[name]',
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    loader: { '.lua': 'text', '.md': 'text' },
    packages: 'external',
    plugins,
    logLevel: 'error',
  });
  // Where a built server finds them.
  await symlink(migrations ?? join(server, 'migrations'), join(folder, 'migrations'));
  await symlink(join(server, 'fonts'), join(folder, 'fonts'));
  return { path: join(folder, 'dist', 'main.js'), remove: () => rm(folder, { recursive: true, force: true }) };
}

export interface ReplicaOptions {
  program: Program;
  config: Record<string, unknown>;
  /** Its own, kept over restarts: the journal lies in it. */
  dataDir: string;
  databaseUrl?: string;
  redisUrl?: string;
  redisDeadlineMs?: number;
  nodeArguments?: string[];
  /** Kept over restarts, for those who are told where it listens once. By default another port each time. */
  listensOn?: { host: string; port: number };
}

/** Everything a replica printed, shown when it ends before it listens. */
const MAX_OUTPUT = 20_000;

export class Replica {
  readonly #options: ReplicaOptions;
  #child: ChildProcess | undefined;
  #origin = '';
  #output = '';

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  /** `http://127.0.0.1:<port>`; another one after each start. */
  get origin(): string {
    return this.#origin;
  }

  get output(): string {
    return this.#output;
  }

  async start(): Promise<this> {
    const {
      program,
      config,
      dataDir,
      databaseUrl,
      redisUrl,
      redisDeadlineMs,
      nodeArguments = [],
      listensOn,
    } = this.#options;
    await mkdir(dataDir, { recursive: true });
    const configFile = join(dataDir, 'config.yaml');
    await writeFile(configFile, stringify(config));
    const child = spawn(process.execPath, [...nodeArguments, program.path], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        PORT: String(listensOn?.port ?? 0),
        ...(listensOn && { HOST: listensOn.host }),
        DARGAH_DATA_DIR: dataDir,
        DARGAH_CONFIG: configFile,
        DARGAH_DISCOVERY: 'off',
        DARGAH_LOG_LEVEL: 'warn',
        ...switches(),
        ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
        ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
        ...(redisDeadlineMs === undefined ? {} : { DARGAH_REDIS_DEADLINE_MS: String(redisDeadlineMs) }),
      },
    });
    this.#child = child;
    this.#origin = await this.#untilListening(child);
    return this;
  }

  /** As the kernel would end it: nothing is flushed, nobody is told. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Drains: running requests finish, charges are posted. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  #untilListening(child: ChildProcess): Promise<string> {
    this.#output = '';
    return new Promise((resolve, reject) => {
      const read = (chunk: Buffer) => {
        this.#output = (this.#output + chunk.toString()).slice(-MAX_OUTPUT);
        const listening = /listens on (\S+)\n/.exec(this.#output)?.[1];
        if (listening !== undefined) resolve(listening);
      };
      child.stdout?.on('data', read);
      child.stderr?.on('data', read);
      child.once('exit', (code, signal) =>
        reject(new Error(`the replica ended with ${code ?? signal} before it listened:\n${this.#output}`)),
      );
    });
  }
}
