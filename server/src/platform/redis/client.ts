/**
 * The connection to Redis: one server, or a cluster (`redis-cluster://a:7000,b:7000`). Nothing waits in a queue here: a command on a
 * broken connection fails at once, so that the caller can fall back, and no command is sent a second time, since a reservation that
 * ran twice would count twice. Only what a node of a cluster refused to run (MOVED, ASK) goes to the node that it named.
 */
import { createRequire } from 'node:module';
import type { Cluster, ClusterOptions, Redis } from 'ioredis';
import { readRedisAddress } from './address.ts';

export type RedisClient = Redis | Cluster;

export interface RedisSettings {
  url: string;
  connectTimeoutMs?: number;
  /** Every failure of the connection, for the log; the client reconnects by itself. */
  onError?: (error: Error) => void;
}

/** Loaded with the first connection, which many services never make. */
function library(): typeof import('ioredis') {
  const ioredis = createRequire(import.meta.url)('ioredis');
  keepStringsFast();
  return ioredis;
}

/** So often a property is read before V8 looks into where it was found. */
const READS = 100;

/**
 * The library defines a class that extends String. V8 then keeps the methods of all strings in a dictionary, and compiled code looks up
 * each of them anew: some 5 µs of a small chat. V8 takes them out again when a property of a string as an object is read often.
 */
function keepStringsFast(): void {
  const asObject = Object('');
  for (let reads = 0; reads < READS; reads++) methodOf(asObject);
}

function methodOf(text: string): unknown {
  return text.charCodeAt;
}

const SLOWEST_RECONNECT_MS = 1_000;
/** How soon a client hears that a replica took over for a dead node; before that it hears it only from the nodes that it asks. */
const LOOK_FOR_NODES_MS = 1_000;

const reconnectAfter = (attempt: number): number => Math.min(SLOWEST_RECONNECT_MS, 25 * 2 ** Math.min(attempt, 6));

export function createRedis(settings: RedisSettings): RedisClient {
  const { Cluster, Redis } = library();
  const { nodes, isCluster, username, password, isEncrypted } = readRedisAddress(settings.url);
  const options = {
    connectTimeout: settings.connectTimeoutMs ?? 1_000,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  };
  const client = isCluster
    ? new Cluster(nodes, {
        ...CLUSTER,
        redisOptions: { ...options, username, password, ...(isEncrypted ? { tls: {} } : {}) },
      })
    : new Redis(settings.url, { ...options, enableOfflineQueue: false, retryStrategy: reconnectAfter });
  // Without a listener Node would end the process at the first refused connection.
  client.on('error', (error: Error) => settings.onError?.(error));
  if (client instanceof Cluster) connectNodes(client);
  return client;
}

const CLUSTER: ClusterOptions = {
  enableOfflineQueue: false,
  clusterRetryStrategy: reconnectAfter,
  slotsRefreshInterval: LOOK_FOR_NODES_MS,
  // A command whose connection broke may have run: it is not sent again.
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  // Certificates name hosts, not the addresses that a look-up gives.
  dnsLookup: (address, tell) => tell(null, address),
};

/** A node is connected to when it is found, not with its first command, which would fail. */
function connectNodes(cluster: Cluster): void {
  const connect = (): void => {
    if (cluster.status !== 'ready') return;
    for (const node of cluster.nodes()) if (node.status === 'wait') node.connect().catch(() => undefined);
  };
  cluster.on('ready', connect);
  cluster.on('+node', connect);
}
