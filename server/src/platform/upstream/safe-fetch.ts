/**
 * The only way to fetch an address that a user wrote (other gateways fixed this several times, each time in one place of
 * several). Every address a name resolves to is checked, the connection goes to exactly the address that was checked, and each
 * redirect starts over. Nothing of ours (headers, credentials, cookies) travels along.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Clock } from '../../core/clock.ts';
import { isPlainHost, isPublicAddress } from './address-rules.ts';
import type { EnvironmentEgress } from './egress/index.ts';
import { type FetchLimits, type ResolvedAddress, SafeFetchError } from './fetch-terms.ts';
import { createPinnedRequest, type PinnedBody } from './pinned-request.ts';
import type { UpstreamClient } from './transport.ts';

type Resolve = (hostname: string) => Promise<ResolvedAddress[]>;

export interface SafeFetchOptions {
  clock: Clock;
  resolve?: Resolve;
  client?: UpstreamClient;
  /** The ways out that the environment names; they are told checked addresses, never names. */
  egress?: EnvironmentEgress | undefined;
  /** Set by operators of a closed network, and by tests. */
  allowHttp?: boolean;
  /** Hosts (`name` or `name:port`) that may resolve to private addresses and need no TLS. */
  allowedHosts?: readonly string[];
}

export interface Fetched {
  bytes: Uint8Array;
  /** Media type without parameters, lower case. */
  type: string;
  /** The address after redirects. */
  url: string;
}

export type SafeFetch = (url: string, limits: FetchLimits) => Promise<Fetched>;

const MAX_REDIRECTS = 3;
const MAX_URL_LENGTH = 4096;
/** Nothing of a target's answer is used but its status. */
const MAX_POST_ANSWER = 64 * 1024;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  const resolve = options.resolve ?? resolveAll;
  const request = createPinnedRequest(options);
  return async (url, limits) => {
    const deadlineAtMs = options.clock.monotonicMs() + limits.totalMs;
    let current = url;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const target = checkUrl(current, options);
      const pinned = await checkAddresses(target, resolve, options);
      const answer = await request(target, pinned, limits, deadlineAtMs);
      if (answer.status === 200) return { bytes: answer.bytes, type: answer.type, url: target.href };
      if (!REDIRECTS.has(answer.status)) throw new SafeFetchError('status', `the server answered ${answer.status}`);
      if (answer.location === undefined) throw new SafeFetchError('status', 'a redirect without an address');
      current = redirectTarget(answer.location, target);
    }
    throw new SafeFetchError('too-many-redirects', `more than ${MAX_REDIRECTS} redirects`);
  };
}

/** Sends a message to an address that a user wrote; resolves with the status. A redirect is an answer like any other, never followed. */
export type SafePost = (url: string, sent: PinnedBody, totalMs: number) => Promise<number>;

export function createSafePost(options: SafeFetchOptions): SafePost {
  const resolve = options.resolve ?? resolveAll;
  const request = createPinnedRequest(options);
  return async (url, sent, totalMs) => {
    const target = checkUrl(url, options);
    const pinned = await checkAddresses(target, resolve, options);
    const limits = { maxBytes: MAX_POST_ANSWER, totalMs };
    const { status } = await request(target, pinned, limits, options.clock.monotonicMs() + totalMs, sent);
    return status;
  };
}

function checkUrl(url: string, options: SafeFetchOptions): URL {
  if (url.length > MAX_URL_LENGTH || !URL.canParse(url)) throw new SafeFetchError('bad-url', 'not a valid address');
  const parsed = new URL(url);
  const plainAllowed = options.allowHttp || isTrustedHost(parsed, options.allowedHosts);
  if (parsed.protocol !== 'https:' && !(parsed.protocol === 'http:' && plainAllowed)) {
    throw new SafeFetchError('scheme', 'only https addresses are fetched');
  }
  // `https://good.example@10.0.0.1/` reads like one host and is another.
  if (parsed.username !== '' || parsed.password !== '')
    throw new SafeFetchError('bad-url', 'an address with credentials');
  if (!isPlainHost(url.trim(), parsed.hostname)) throw new SafeFetchError('bad-url', 'an address written in disguise');
  return parsed;
}

/** `name` or `name:port`, as the operator wrote it. */
export function isTrustedHost(url: URL, allowedHosts: readonly string[] = []): boolean {
  return allowedHosts.some((host) => host === url.hostname || host === url.host);
}

async function checkAddresses(url: URL, resolve: Resolve, options: SafeFetchOptions): Promise<ResolvedAddress> {
  const hostname = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const literal = isIP(hostname);
  const addresses: ResolvedAddress[] =
    literal === 0 ? await resolveNamed(hostname, resolve) : [{ address: hostname, family: literal === 6 ? 6 : 4 }];
  // One private address among public ones is enough to refuse: which one is used would be the attacker's luck.
  if (!isTrustedHost(url, options.allowedHosts) && !addresses.every(({ address }) => isPublicAddress(address))) {
    throw new SafeFetchError('forbidden-address', 'the address does not lead to the public internet');
  }
  const [first] = addresses;
  if (!first) throw new SafeFetchError('dns', 'the name has no address');
  return first;
}

async function resolveNamed(hostname: string, resolve: Resolve): Promise<ResolvedAddress[]> {
  try {
    return await resolve(hostname);
  } catch {
    throw new SafeFetchError('dns', 'the name does not resolve');
  }
}

async function resolveAll(hostname: string): Promise<ResolvedAddress[]> {
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

function redirectTarget(location: string, from: URL): string {
  // A relative address keeps the host, which was checked; an absolute one is judged as it was written.
  if (/^[a-z][a-z0-9+.-]*:/i.test(location)) return location;
  if (!URL.canParse(location, from.href)) throw new SafeFetchError('bad-url', 'a redirect to no valid address');
  return location.startsWith('//') ? `${from.protocol}${location}` : new URL(location, from).href;
}
