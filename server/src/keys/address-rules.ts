/** Which addresses and hosts a list allows. Lists are compiled once; an address is matched against numbers, not text. */
import { domainToASCII } from 'node:url';
import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.process>;
type Range = [Address, number];

/** An address or CIDR range; v4-mapped v6 counts as v4. Undefined when it is neither. */
export function parseRange(text: string): Range | undefined {
  const [base = '', bits, ...rest] = text.split('/');
  if (!ipaddr.isValid(base) || rest.length > 0 || base.includes('%')) return undefined;
  // `010.0.0.1` and `10.1` are valid to the library but mean different things to different people.
  if (!base.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(base)) return undefined;
  const written = ipaddr.parse(base);
  const address = ipaddr.process(base);
  const writtenWidth = written.kind() === 'ipv6' ? 128 : 32;
  const width = address.kind() === 'ipv6' ? 128 : 32;
  if (bits === undefined) return [address, width];
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > writtenWidth) return undefined;
  const prefix = Number(bits) - (writtenWidth - width);
  return prefix < 0 ? undefined : [address, prefix];
}

export function compileAddresses(list: readonly string[]): (ip: string) => boolean {
  const ranges = list.map(parseRange).filter((range) => range !== undefined);
  const matches = (ip: string): boolean => {
    const text = ip.split('%')[0] ?? '';
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return ranges.some(([base, prefix]) => base.kind() === address.kind() && address.match(base, prefix));
  };
  // A key is mostly used from one machine; reading its address takes longer than all other rules together.
  let last = { ip: '', allowed: matches('') };
  return (ip) => {
    if (last.ip !== ip) last = { ip, allowed: matches(ip) };
    return last.allowed;
  };
}

/** A host, or `*.host` for everything below it. Undefined when it is neither. */
export function parseHostPattern(text: string): string | undefined {
  const wildcard = text.startsWith('*.');
  const host = domainToASCII((wildcard ? text.slice(2) : text).replace(/\.$/, '')).toLowerCase();
  if (!/^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*)$/.test(host)) return undefined;
  return wildcard ? `*.${host}` : host;
}

/** `*.example.com` matches a.example.com and a.b.example.com, but not example.com itself: that is a line of its own. */
export function compileHosts(list: readonly string[]): (referrer: string | undefined) => boolean {
  const exact = new Set<string>();
  const endings: string[] = [];
  for (const pattern of list) {
    const parsed = parseHostPattern(pattern);
    if (parsed?.startsWith('*.')) endings.push(parsed.slice(1));
    else if (parsed !== undefined) exact.add(parsed);
  }
  return (referrer) => {
    const host = referrer === undefined ? undefined : hostOf(referrer);
    if (host === undefined) return false;
    return exact.has(host) || endings.some((ending) => host.endsWith(ending) && host.length > ending.length);
  };
}

/** Reads the host of a `Referer` or `Origin` header; both are URLs. */
function hostOf(referrer: string): string | undefined {
  if (!URL.canParse(referrer)) return undefined;
  const host = new URL(referrer).hostname.replace(/\.$/, '').toLowerCase();
  return host === '' ? undefined : host;
}
