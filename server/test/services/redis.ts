/** A real Redis for tests: a free port, nothing on disk, killed and frozen at will. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createRedis } from '../../src/platform/redis/index.ts';
import { freePort } from './free-port.ts';

export interface RedisService {
  url: string;
  /** Starts it again, empty, on the same port. */
  start(): Promise<void>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Alive but silent, until `thaw`. */
  freeze(): void;
  thaw(): void;
  flush(): Promise<void>;
  stop(): Promise<void>;
}

export function redisBinary(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':');
  return folders.map((folder) => join(folder, 'redis-server')).find((path) => existsSync(path));
}

/** For `describe.skipIf(redisMissing())`: says so visibly, and fails where everything must be tested. */
export function redisMissing(): boolean {
  if (redisBinary() !== undefined) return false;
  if (process.env['CI']) throw new Error('redis-server is not installed, and in CI its tests must run');
  console.warn('SKIPPED: redis-server is not installed; tests on a real Redis do not run');
  return true;
}

export async function startRedis(): Promise<RedisService> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let server = await launch(port);
  const end = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  return {
    url,
    start: async () => {
      server = await launch(port);
    },
    kill: end,
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    flush: async () => {
      const client = createRedis({ url });
      await once(client, 'ready');
      await client.flushall();
      client.disconnect();
    },
    stop: end,
  };
}

async function launch(port: number): Promise<ChildProcess> {
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const binary = redisBinary();
  if (binary === undefined) throw new Error('redis-server is not installed');
  const server = spawn(binary, options, { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((resolve, reject) => {
    let log = '';
    server.stdout?.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      if (log.includes('Ready to accept connections')) resolve();
    });
    server.once('exit', (code) => reject(new Error(`redis-server ended with ${code}:\n${log}`)));
  });
  return server;
}
