/**
 * Which addresses a limit counts as one caller, and as one network. A limit per single address is evaded with a /24,
 * and an IPv6 customer owns at least a /64 and often a /48. So an IPv6 caller is its /64, and its network is the /48.
 */

/** One caller: the IPv4 address, or the IPv6 /64. */
export function callerOf(address: string): string {
  return address.includes(':') ? networkOf(address) : address;
}

/** The network by which a returning person is recognised: IPv4 /24, IPv6 /64. */
export function networkOf(address: string): string {
  return address.includes(':') ? ipv6Prefix(address, 4) : `${address.split('.').slice(0, 3).join('.')}.0/24`;
}

/** The widest network that one customer of a provider may own: IPv4 /24, IPv6 /48. */
export function widestNetworkOf(address: string): string {
  return address.includes(':') ? ipv6Prefix(address, 3) : networkOf(address);
}

function ipv6Prefix(address: string, groups: number): string {
  return `${expandIpv6(address).slice(0, groups).join(':')}::/${groups * 16}`;
}

function expandIpv6(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  return [...first, ...Array<string>(zeros).fill('0'), ...last].map((part) =>
    part.toLowerCase().replace(/^0+(?=.)/, ''),
  );
}
