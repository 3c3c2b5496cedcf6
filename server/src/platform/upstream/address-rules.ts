/** Which addresses a user's URL may lead to: public unicast and nothing else. */
import ipaddr from 'ipaddr.js';

/** ipaddr.js names every special range; only this one is the open internet. */
const PUBLIC = 'unicast';

/** Ranges that count as public but carry or stand for other addresses. */
const TUNNELS: readonly [string, number][] = [
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['2001::', 32],
  // IPv4-compatible, deprecated and still routed by some stacks.
  ['::', 96],
  // Site-local, deprecated.
  ['fec0::', 10],
  ['3fff::', 20],
];

/** Public by range, yet it answers only to machines inside Azure, with their secrets. */
const AZURE_PLATFORM = '168.63.129.16';

export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.kind() === 'ipv4') return isPublicFour(address as ipaddr.IPv4);
  const six = address as ipaddr.IPv6;
  // ::ffff:10.0.0.1 is 10.0.0.1 to the kernel.
  if (six.isIPv4MappedAddress()) return isPublicFour(six.toIPv4Address());
  if (TUNNELS.some(([network, bits]) => six.match(ipaddr.parseCIDR(`${network}/${bits}`) as [ipaddr.IPv6, number]))) {
    return false;
  }
  return six.range() === PUBLIC;
}

function isPublicFour(address: ipaddr.IPv4): boolean {
  return address.range() === PUBLIC && address.toString() !== AZURE_PLATFORM;
}

/**
 * The host as it was written must already be plain. The URL parser turns 2130706433, 0x7f.1 and 0177.0.0.1 into 127.0.0.1;
 * nobody writes a public address like that, so such forms are refused before they are understood.
 */
export function isPlainHost(url: string, parsedHostname: string): boolean {
  const written = /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? '';
  const host = written.replace(/:\d*$/, '').toLowerCase();
  if (parsedHostname.startsWith('[')) return host === parsedHostname || host.startsWith('[');
  if (ipaddr.IPv4.isValidFourPartDecimal(parsedHostname)) return host === parsedHostname;
  return true;
}

/** The addresses at which cloud machines read their own secrets. No model is served there. */
const METADATA_NETWORKS: readonly [string, number][] = [
  ['169.254.0.0', 16],
  [`${AZURE_PLATFORM}`, 32],
  ['100.100.100.200', 32],
  ['192.0.0.192', 32],
  ['fd00:ec2::', 32],
  ['fe80::', 10],
];
const METADATA_NAMES = /^(?:metadata|instance-data)(?:\.|$)/i;

/** `hostname` as the URL parser gives it, so that no other writing of an address gets by. */
export function isMetadataHost(hostname: string): boolean {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  if (!ipaddr.isValid(bare)) return METADATA_NAMES.test(bare);
  const parsed = ipaddr.parse(bare);
  const six = parsed.kind() === 'ipv6' ? (parsed as ipaddr.IPv6) : undefined;
  const address = six?.isIPv4MappedAddress() ? six.toIPv4Address() : parsed;
  return METADATA_NETWORKS.some(([network, bits]) => {
    const range = ipaddr.parse(network);
    return range.kind() === address.kind() && address.match(range, bits);
  });
}
