/**
 * The ways out that the environment names, as other programs read it: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, in
 * either case; DARGAH_EGRESS lists several in order and comes first.
 */
import net from 'node:net';
import { readEgress } from './address.ts';

export interface EnvironmentEgress {
  /** The ways to this host, in order; empty: directly. */
  waysTo(target: { secure: boolean; hostname: string; port: number }): readonly string[];
  readonly localAddress: string | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

export function readEnvironmentEgress(
  variables: Variables,
  refuse: (name: string, message: string) => void,
): EnvironmentEgress {
  const read = (...names: string[]): readonly string[] => {
    for (const name of names) {
      const text = variables[name]?.trim();
      if (!text) continue;
      return text.split(',').flatMap((part) => {
        // `host:port` alone is common in these variables and means an HTTP proxy.
        const address = part.includes('://') || part.trim() === 'direct' ? part.trim() : `http://${part.trim()}`;
        const egress = readEgress(address);
        if (typeof egress !== 'string') return [address];
        refuse(name, egress);
        return [];
      });
    }
    return [];
  };
  const all = read('DARGAH_EGRESS');
  const secure = all.length > 0 ? all : read('HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy');
  // HTTP_PROXY in capitals can be set by a request's header in programs behind old servers; this is none, so it counts.
  const plain = all.length > 0 ? all : read('http_proxy', 'HTTP_PROXY', 'ALL_PROXY', 'all_proxy');
  const exceptions = readExceptions(variables['NO_PROXY'] ?? variables['no_proxy'] ?? '');
  const localAddress = variables['DARGAH_SOURCE_ADDRESS']?.trim() || undefined;
  if (localAddress !== undefined && net.isIP(localAddress) === 0)
    refuse('DARGAH_SOURCE_ADDRESS', 'must be an IP address of this machine');
  return {
    waysTo: ({ secure: tls, hostname, port }) =>
      exceptions.some((matches) => matches(hostname.toLowerCase(), port)) ? [] : tls ? secure : plain,
    localAddress,
  };
}

type Exception = (hostname: string, port: number) => boolean;

/** Names with all below them, addresses, ranges, `*`, each with a port if one is given. */
function readExceptions(text: string): Exception[] {
  return text
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part) => exceptionOf(part.toLowerCase()));
}

function exceptionOf(part: string): Exception {
  if (part === '*') return () => true;
  const [base = '', bits] = part.split('/');
  const version = net.isIP(base);
  if (version !== 0) return rangeOf(base, version === 6 ? 'ipv6' : 'ipv4', bits);
  const [, name = part, port] = /^(.*?)(?::(\d+))?$/.exec(part) ?? [];
  const bare = name.replace(/^\*?\./, '');
  return (hostname, at) =>
    (port === undefined || Number(port) === at) && (hostname === bare || hostname.endsWith(`.${bare}`));
}

function rangeOf(base: string, version: 'ipv4' | 'ipv6', bits: string | undefined): Exception {
  const list = new net.BlockList();
  const width = version === 'ipv6' ? 128 : 32;
  list.addSubnet(base, Math.min(width, Number(bits ?? width) || width), version);
  return (hostname) => {
    const kind = net.isIP(hostname);
    return kind !== 0 && list.check(hostname, kind === 6 ? 'ipv6' : 'ipv4');
  };
}
