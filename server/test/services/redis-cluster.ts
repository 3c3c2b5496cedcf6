/** A real cluster of Redis for tests: three masters on free ports, optionally a replica of the first; nodes are killed and started at will. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { redisBinary } from './redis.ts';

export interface RedisCluster {
  url: string;
  ports: readonly number[];
  /** Ends a node as a crash would. */
  kill(node: number): Promise<void>;
  /** Starts it again, empty; it keeps its name and its slots. */
  start(node: number): Promise<void>;
  /** What a node answers, as text. */
  ask(node: number, ...command: string[]): string;
  /** Which node serves a key now. */
  nodeOf(key: string): number;
  stop(): Promise<void>;
}

const MASTERS = 3;
const SLOTS = 16_384;

/** Where a node listens to clients, and where to the other nodes. */
interface NodePorts {
  port: number;
  bus: number;
}

export async function startRedisCluster({ withReplica = false } = {}): Promise<RedisCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'dargah-redis-cluster-'));
  const nodes: NodePorts[] = [];
  while (nodes.length < MASTERS + (withReplica ? 1 : 0)) nodes.push({ port: await freePort(), bus: await freePort() });
  const servers = await Promise.all(nodes.map((node) => launch(node, folder)));
  const ports = nodes.map(({ port }) => port);
  const ask = (node: number, ...command: string[]): string =>
    execFileSync('redis-cli', ['-p', String(ports[node]), ...command], { encoding: 'utf8' });
  for (const node of nodes.keys()) {
    ask(node, 'cluster', 'set-config-epoch', String(node + 1));
    const first = Math.ceil((SLOTS / MASTERS) * node);
    const last = Math.ceil((SLOTS / MASTERS) * (node + 1)) - 1;
    if (node < MASTERS) ask(node, 'cluster', 'addslotsrange', String(first), String(last));
  }
  for (const { port, bus } of nodes.slice(1)) ask(0, 'cluster', 'meet', '127.0.0.1', String(port), String(bus));
  await eventually(() => {
    for (const node of nodes.keys()) {
      const state = ask(node, 'cluster', 'info');
      if (!state.includes('cluster_state:ok') || !state.includes(`cluster_known_nodes:${nodes.length}`))
        throw new Error(`node ${node} is not ready`);
    }
  });
  if (withReplica) await follow(ask);
  const end = async (node: number): Promise<void> => {
    const server = servers[node];
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  return {
    url: `redis-cluster://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`,
    ports,
    kill: end,
    start: async (node) => {
      servers[node] = await launch(nodes[node] as NodePorts, folder);
    },
    ask,
    nodeOf: (key) => {
      const slot = Number(ask(MASTERS - 1, 'cluster', 'keyslot', key));
      for (const line of ask(MASTERS - 1, 'cluster', 'nodes').split('\n')) {
        const [, address = '', flags = '', , , , , , ...ranges] = line.trim().split(' ');
        const serves = ranges.some((range) => {
          const [first = '', last = first] = range.split('-');
          return Number(first) <= slot && slot <= Number(last);
        });
        if (serves && flags.includes('master')) return ports.indexOf(Number(address.split(/[:@]/)[1]));
      }
      return -1;
    },
    stop: async () => {
      await Promise.all(ports.map((_, node) => end(node)));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The last node becomes a replica of the first, and has what that has. */
async function follow(ask: RedisCluster['ask']): Promise<void> {
  const first = ask(0, 'cluster', 'myid').trim();
  await eventually(() => {
    if (ask(MASTERS, 'cluster', 'replicate', first).trim() !== 'OK') throw new Error('it does not know the first yet');
  });
  await eventually(() => {
    if (!ask(MASTERS, 'info', 'replication').includes('master_link_status:up')) throw new Error('not linked yet');
    if (!ask(1, 'cluster', 'nodes').includes('slave')) throw new Error('not all know of it yet');
  });
}

async function launch({ port, bus }: NodePorts, folder: string): Promise<ChildProcess> {
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const cluster = ['--cluster-enabled', 'yes', '--cluster-config-file', `${port}.conf`, '--cluster-port', String(bus)];
  // A busy machine is no dead node; and while one is dead the others serve their slots.
  const death = ['--cluster-node-timeout', '3000', '--cluster-require-full-coverage', 'no'];
  const server = spawn(redisBinary() ?? '', [...options, ...cluster, ...death], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
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
