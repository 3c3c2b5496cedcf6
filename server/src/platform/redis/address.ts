/**
 * `REDIS_URL`: one server (`redis://`, `rediss://`), or nodes of a cluster (`redis-cluster://user:password@a:7000,b:7000`,
 * `rediss-cluster://`), of which one that answers is enough to find the others. Version 0.1.0 knows no cluster and refuses to start with the
 * second form, so it cannot count apart beside replicas that use it.
 */
export interface RedisAddress {
  isCluster: boolean;
  isEncrypted: boolean;
  nodes: { host: string; port: number }[];
  username?: string;
  password?: string;
}

const DEFAULT_PORT = 6_379;
const CLUSTER_SCHEMES = ['redis-cluster', 'rediss-cluster'];
const SCHEMES = ['redis', 'rediss', ...CLUSTER_SCHEMES];

export function isRedisCluster(url: string): boolean {
  return CLUSTER_SCHEMES.includes(schemeOf(url));
}

export function isRedisAddress(text: string): boolean {
  if (!SCHEMES.includes(schemeOf(text))) return false;
  return nodeUrls(text).every((one) => URL.canParse(one) && new URL(one).hostname !== '');
}

export function readRedisAddress(url: string): RedisAddress {
  const urls = nodeUrls(url).map((one) => new URL(one));
  const { username = '', password = '' } = urls[0] ?? {};
  return {
    isCluster: isRedisCluster(url),
    isEncrypted: schemeOf(url).startsWith('rediss'),
    nodes: urls.map(({ hostname, port }) => ({ host: hostname, port: port === '' ? DEFAULT_PORT : Number(port) })),
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
}

function schemeOf(url: string): string {
  return url.slice(0, Math.max(0, url.indexOf('://')));
}

/** One for each node: what stands before the first node's name holds for all of them. */
function nodeUrls(url: string): string[] {
  const rest = url.slice(url.indexOf('://') + 3);
  if (!isRedisCluster(url)) return [`redis://${rest}`];
  const at = rest.lastIndexOf('@') + 1;
  const [credentials, nodes] = [rest.slice(0, at), rest.slice(at)];
  return nodes.split(',').map((node) => `redis://${credentials}${node.trim()}`);
}
