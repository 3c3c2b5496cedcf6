/**
 * How a provider is addressed: its URL and its credential, which is sent only to the provider's own host, never to a
 * host that a caller names.
 */
import { isSignedScheme, type SignedScheme } from '@dargah/core/catalog-terms.ts';
import type { Credential, Provider } from '../../catalog/index.ts';
import type { CallSigning, UpstreamBody, UpstreamCall } from '../../platform/upstream/index.ts';

export interface AskedOfProvider {
  path: string;
  /** Absent: nothing is sent, and the method is GET. */
  body?: UpstreamBody;
  /** The answer comes as a whole when it is ready, so one time limit covers all of it. */
  whole: boolean;
}

/** Every call to a provider has this form. It waits `timeoutMs` for the answer to begin. */
export function providerCall(
  provider: Provider,
  credential: Credential | undefined,
  headers: Record<string, string>,
  { path, body, whole }: AskedOfProvider,
  timeoutMs: number,
  deadlineAtMs: number,
): UpstreamCall {
  const { connectMs, idleMs } = provider.timeouts;
  return {
    pool: provider.id,
    egress: provider.egress,
    url: joinUrl(provider.baseUrl, path),
    method: body === undefined ? 'GET' : 'POST',
    headers,
    body,
    signing: credential && isSignedScheme(provider.auth) ? signingOf(provider, provider.auth, credential) : undefined,
    // Named here although some callers set them later: an object that gets new fields is slow.
    onSent: undefined,
    cancellation: undefined,
    connectMs: Math.min(connectMs, timeoutMs),
    headersMs: timeoutMs,
    firstEventMs: timeoutMs,
    // Some providers send their headers at once and the answer only when it is ready.
    idleMs: whole ? timeoutMs : idleMs,
    deadlineAtMs,
  };
}

function signingOf({ quirks }: Provider, scheme: SignedScheme, { secret }: Credential): CallSigning {
  return { scheme, secret, region: quirks.awsRegion };
}

/**
 * Base addresses are written with or without the version; the codec's path has it where the protocol does. A path with two slashes
 * lies beside the version: `//v2/rerank` of `…/v1`.
 */
function joinUrl(baseUrl: string, path: string): string {
  const base = baseUrl.endsWith('/') ? baseUrl.slice(0, -1) : baseUrl;
  if (path.startsWith('//')) return withoutVersion(base) + path.slice(1);
  if (path.startsWith('/v1/') && base.endsWith('/v1')) return base + path.slice(3);
  return base + path;
}

/** Cohere's chats have a base address of their own, which other endpoints do not use. */
const VERSIONS = ['/compatibility/v1', '/v1', '/v2'];

function withoutVersion(base: string): string {
  const version = VERSIONS.find((end) => base.endsWith(end)) ?? '';
  return base.slice(0, base.length - version.length);
}

/**
 * Headers in order of precedence, later ones win: the provider's own, the client's on relay, the protocol's, the
 * credential.
 */
export function requestHeaders(
  provider: Provider,
  credential: Credential | undefined,
  codecHeaders: Record<string, string>,
  hop: number,
  traceparent: string | undefined,
  relayHeaders?: Record<string, string>,
): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json', 'x-svc-hop': String(hop) };
  if (traceparent !== undefined) headers['traceparent'] = traceparent;
  copyInto(headers, provider.headers);
  copyInto(headers, relayHeaders);
  copyInto(headers, codecHeaders);
  if (credential) authorize(headers, provider, credential.secret);
  return headers;
}

function copyInto(headers: Record<string, string>, more: Record<string, string> | undefined): void {
  for (const name in more) headers[name] = more[name] as string;
}

function authorize(headers: Record<string, string>, provider: Provider, secret: string): void {
  switch (provider.auth) {
    case 'bearer':
      headers['authorization'] = `Bearer ${secret}`;
      return;
    // These schemes sign the call once it is complete (`UpstreamCall.signing`).
    case 'aws-sigv4':
    case 'google-service-account':
    case 'entra':
    case 'none':
      return;
    default:
      headers[provider.auth] = secret;
  }
}
