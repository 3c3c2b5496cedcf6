/** PostgreSQL and Redis for the second half of the benchmark, where they are installed. Commits are synchronous, as in production. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCommand } from './processes.mjs';

function folderOf(program) {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort().reverse() : [];
  const folders = [...versions.map((version) => join(root, version, 'bin')), ...(process.env.PATH ?? '').split(':')];
  return folders.find((folder) => existsSync(join(folder, program)));
}

export function servicesInstalled() {
  return folderOf('initdb') !== undefined && folderOf('redis-server') !== undefined;
}

/** PostgreSQL refuses to run as root. */
function ownerOf(folder) {
  if (process.getuid?.() !== 0) return {};
  const id = (flag) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
  const owner = { uid: id('-u'), gid: id('-g') };
  chownSync(folder, owner.uid, owner.gid);
  return owner;
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function startServices() {
  const folder = await mkdtemp(join(tmpdir(), 'dargah-bench-db-'));
  const owner = ownerOf(folder);
  const programs = folderOf('initdb');
  const data = join(folder, 'data');
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'];
  execFileSync(join(programs, 'initdb'), initdb, { ...owner, cwd: folder, stdio: 'ignore' });
  const port = await freePort();
  const postgres = await startCommand(
    join(programs, 'postgres'),
    ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder, '-c', 'shared_buffers=128MB'],
    { ...owner, cwd: folder, ready: /ready to accept connections/ },
  );
  const redisPort = await freePort();
  const redis = await startCommand(
    join(folderOf('redis-server'), 'redis-server'),
    ['--port', String(redisPort), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    { cwd: folder, ready: /Ready to accept connections/ },
  );
  return {
    env: {
      DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/postgres`,
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    },
    pids: [postgres.pid, redis.pid],
    async stop() {
      await redis.stop();
      await postgres.stop('SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
