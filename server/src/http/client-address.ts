/**
 * The caller's address. It comes from the socket; `X-Forwarded-For` counts only when the socket belongs to a trusted
 * proxy, and is then read from the right, since everything left of the first untrusted address can be forged.
 */
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { CallHeaders } from '../gateway/index.ts';

/** The parts of a request that are needed; Node's own request object has them. */
export interface Incoming {
  headers: CallHeaders;
  /** Absent on the fast path, which takes no address with a query. */
  url?: string | undefined;
  socket: { remoteAddress?: string | undefined };
}

export type ClientAddress = (request: Incoming) => string;

const MAX_HOPS = 16;

/**
 * Whether a caller came by https, which ends at the proxy: only a trusted proxy is believed. A call to the public
 * address counts as https when that address is https, whatever a proxy says.
 */
export function secureCalls(
  trustedProxies: string[],
  publicUrl: string | undefined,
): (request: IncomingMessage) => boolean {
  const isTrusted = proxyCheck(trustedProxies);
  const publicHost = httpsHostOf(publicUrl);
  return (request) => {
    const { host, 'x-forwarded-proto': forwardedProtocol } = request.headers;
    if (publicHost !== undefined && httpsHostOf(`https://${host}`) === publicHost) return true;
    return forwardedProtocol === 'https' && isTrusted(normal(request.socket.remoteAddress ?? ''));
  };
}

/** The host as a URL writes it: in small letters, without the default port of https. */
function httpsHostOf(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { protocol, host } = new URL(address);
  return protocol === 'https:' ? host : undefined;
}

/**
 * True for addresses that many callers share: trusted proxies, and this machine itself, where an unlisted proxy may
 * run.
 */
export function listedProxies(trustedProxies: string[]): (address: string) => boolean {
  const isTrusted = proxyCheck(trustedProxies);
  return (address) => isLoopback(normal(address)) || isTrusted(normal(address));
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

function proxyCheck(trustedProxies: string[]): (address: string) => boolean {
  const trusted = trustedProxies.map((text) => (text.includes('/') ? ipaddr.parseCIDR(text) : wholeAddress(text)));
  return (text) => {
    if (trusted.length === 0 || !ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return trusted.some(([range, bits]) => address.kind() === range.kind() && address.match(range, bits));
  };
}

export function clientAddress(trustedProxies: string[]): ClientAddress {
  const isTrusted = proxyCheck(trustedProxies);
  return (request) => {
    const socketAddress = normal(request.socket.remoteAddress ?? '');
    if (trustedProxies.length === 0 || !isTrusted(socketAddress)) return socketAddress;
    const header = request.headers['x-forwarded-for'];
    const chain = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').slice(-MAX_HOPS);
    let caller = socketAddress;
    for (const hop of chain.reverse()) {
      const address = normal(hop.trim());
      if (!ipaddr.isValid(address)) break;
      caller = address;
      if (!isTrusted(address)) break;
    }
    return caller;
  };
}

function wholeAddress(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** `::ffff:10.0.0.1` and `10.0.0.1` are one caller. */
function normal(text: string): string {
  return text.startsWith('::ffff:') ? text.slice(7) : text;
}
