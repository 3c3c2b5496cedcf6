/**
 * A real PostgreSQL server for tests: its own data directory under the system's temp folder, a free port, no fsync.
 * PostgreSQL refuses to run as root, so as root it runs as the user `postgres`.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { inject } from 'vitest';
import { freePort } from './free-port.ts';

const run = promisify(execFile);

export interface PostgresService {
  /** Connection string of the database `postgres`. */
  url: string;
  /** A fresh, empty database on the same server. */
  createDatabase(name?: string): Promise<string>;
  start(): Promise<void>;
  /** `immediate` ends it as a crash would. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  restart(): Promise<void>;
  /** Stops the server and deletes its files. */
  remove(): Promise<void>;
}

/** The folder of PostgreSQL's programs, or undefined where it is not installed. */
function postgresBinaries(): string | undefined {
  const roots = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt'];
  const folders = roots.flatMap((root) =>
    existsSync(root) ? readdirSync(root).map((name) => join(root, name, 'bin')) : [],
  );
  const onPath = (process.env['PATH'] ?? '').split(':');
  return [...folders.sort().reverse(), ...onPath].find((folder) => existsSync(join(folder, 'initdb')));
}

export function postgresInstalled(): boolean {
  return postgresBinaries() !== undefined;
}

/** For `describe.skipIf(postgresMissing())`: says so visibly, and fails where everything must be tested. */
export function postgresMissing(): boolean {
  if (postgresInstalled()) return false;
  if (process.env['CI']) throw new Error('PostgreSQL is not installed, and in CI its tests must run');
  console.warn('SKIPPED: PostgreSQL is not installed; tests on a real server do not run');
  return true;
}

/** The migrated database of the shared server (harness/services-setup.ts). */
export const TEMPLATE = 'migrated';

/** A migrated database on the server that all files share. To clone one takes a tenth of what a server and its migrations take. */
export async function cloneMigratedDatabase(): Promise<{ databaseUrl: string; remove(): Promise<void> }> {
  const server = inject('sharedPostgres');
  const name = `clone_${randomUUID().replaceAll('-', '')}`;
  await ask(server, `create database ${name} template ${TEMPLATE}`);
  return {
    databaseUrl: server.replace(/[^/]*$/, name),
    remove: () => ask(server, `drop database ${name} with (force)`),
  };
}

async function ask(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

export async function startPostgres(): Promise<PostgresService> {
  const binaries = postgresBinaries();
  if (binaries === undefined) throw new Error('PostgreSQL is not installed');
  const folder = await mkdtemp(join(tmpdir(), 'dargah-pg-'));
  const owner = await giveAway(folder);
  const data = join(folder, 'data');
  const port = await freePort();
  await run(
    join(binaries, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'],
    { ...owner, cwd: folder },
  );
  // Without fsync a power cut loses data, a crash does not. Commits stay synchronous: tests crash the server on purpose.
  const settings = ['fsync=off', 'full_page_writes=off', 'shared_buffers=32MB', 'max_connections=100'];
  const options = [`-p ${port}`, '-h 127.0.0.1', `-k ${folder}`, ...settings.map((setting) => `-c ${setting}`)].join(
    ' ',
  );
  const control = async (...args: string[]): Promise<void> => {
    // `ignore`: a server that inherited our pipes would keep them open after pg_ctl ended.
    const child = spawn(join(binaries, 'pg_ctl'), ['-D', data, '-w', '-t', '120', ...args], {
      ...owner,
      cwd: folder,
      stdio: 'ignore',
    });
    const code = await new Promise((resolve) => child.once('exit', resolve));
    if (code !== 0) throw new Error(`pg_ctl ${args[0]} ended with ${code}`);
  };
  const url = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`;
  let databases = 0;
  const service: PostgresService = {
    url: url('postgres'),
    async createDatabase(name = `test_${++databases}`) {
      await ask(service.url, `create database ${name}`);
      return url(name);
    },
    start: () => control('-l', join(folder, 'log'), '-o', options, 'start'),
    stop: (mode = 'fast') => control('-m', mode, 'stop'),
    async restart() {
      await service.stop();
      await service.start();
    },
    async remove() {
      await service.stop('immediate').catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
  await service.start();
  return service;
}

async function giveAway(folder: string): Promise<{ uid: number; gid: number } | Record<string, never>> {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
  const owner = { uid: id('-u'), gid: id('-g') };
  await chown(folder, owner.uid, owner.gid);
  return owner;
}
