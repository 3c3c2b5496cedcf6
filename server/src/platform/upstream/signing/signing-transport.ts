/**
 * Calls whose credential is never sent: Amazon's signature is put on each of them, Google's and Entra's credential is exchanged for
 * a token first. Everything else passes through. A token goes out the provider's own way, and one that is refused is renewed once.
 */
import type { Clock } from '../../../core/clock.ts';
import type { Log } from '../../log.ts';
import {
  type CallSigning,
  TransportError,
  type UpstreamBody,
  type UpstreamCall,
  type UpstreamReply,
  type UpstreamTransport,
} from '../port.ts';
import { awsSignature } from './aws-signature.ts';
import { type FetchedToken, TokenCache } from './token-cache.ts';
import { readToken, type TokenScheme, tokenRequest } from './token-requests.ts';

interface SigningTools {
  clock: Clock;
  log?: Pick<Log, 'warn'> | undefined;
}

const TOKEN_MS = 10_000;
const TOKEN_BYTES = 64 * 1024;
/** Amazon takes signatures of the last and the next five minutes. */
const MAX_SKEW_MS = 5 * 60_000;

/** The same transport with a `send` that signs. */
export function withSigning<T extends UpstreamTransport>(transport: T, tools: SigningTools): T {
  const plain = transport.send.bind(transport);
  const signer = new CallSigner(plain, tools);
  const send: Send = (call) => (call.signing === undefined ? plain(call) : signer.send(call, call.signing));
  transport.send = send;
  return transport;
}

type Send = UpstreamTransport['send'];

class CallSigner {
  readonly #send: Send;
  readonly #tools: SigningTools;
  readonly #tokens: TokenCache;

  constructor(send: Send, tools: SigningTools) {
    this.#send = send;
    this.#tools = tools;
    this.#tokens = new TokenCache(tools.clock);
  }

  send(call: UpstreamCall, signing: CallSigning): Promise<UpstreamReply> {
    return signing.scheme === 'aws-sigv4'
      ? this.#sendSigned(call, signing)
      : this.#sendWithToken(call, signing, signing.scheme);
  }

  async #sendSigned(call: UpstreamCall, { secret, region }: CallSigning): Promise<UpstreamReply> {
    const { url, method, headers } = call;
    const nowMs = this.#tools.clock.now();
    const contentType = headers['content-type'];
    const body = wholeBody(call.body);
    const added =
      body === 'stream' ? undefined : awsSignature(secret, { url, method, contentType, body, region, nowMs });
    if (!added) throw unusable(body === 'stream' ? 'a body that is not whole cannot be signed' : NO_CREDENTIAL);
    const reply = await this.#send({ ...call, headers: { ...headers, ...added }, signing: undefined });
    if (reply.status === 403) this.#tellSkew(call.pool, reply, nowMs);
    return reply;
  }

  /** Amazon refuses signatures of another time as it refuses wrong keys; the clock of this machine is then what is wrong. */
  #tellSkew(provider: string, reply: UpstreamReply, nowMs: number): void {
    const theirs = Date.parse(reply.header('date') ?? '');
    if (!Number.isFinite(theirs) || Math.abs(theirs - nowMs) < MAX_SKEW_MS) return;
    const secondsOff = Math.round((nowMs - theirs) / 1000);
    this.#tools.log?.warn(
      { provider, secondsOff },
      'the clock of this machine is wrong: Amazon refuses requests that are signed more than five minutes off',
    );
  }

  async #sendWithToken(call: UpstreamCall, signing: CallSigning, scheme: TokenScheme): Promise<UpstreamReply> {
    const key = `${scheme} ${signing.secret}`;
    const fetch = () => this.#fetchToken(call, signing.secret, scheme);
    const first = await this.#waitFor(this.#tokens.get(key, fetch), call);
    const reply = await this.#send(withBearer(call, first));
    if (reply.status !== 401 || wholeBody(call.body) === 'stream') return reply;
    // The token was revoked early. A second refusal concerns the credential itself.
    this.#tokens.drop(key, first);
    const second = await this.#waitFor(this.#tokens.get(key, fetch), call).catch(() => undefined);
    if (second === undefined || second === first) return reply;
    reply.release();
    return this.#send(withBearer(call, second));
  }

  /** A request that nobody wants any more does not wait for a token that others still need. */
  async #waitFor(token: string | Promise<string>, { cancellation }: UpstreamCall): Promise<string> {
    if (typeof token === 'string' || !cancellation) return token;
    let stop: (reason: string) => void = () => undefined;
    const cancelled = new Promise<never>((_, reject) => {
      stop = (reason) =>
        reject(new TransportError({ kind: 'truncated', code: 'aborted', message: `aborted: ${reason}` }, 'connect'));
      cancellation.attach(stop);
    });
    try {
      return await Promise.race([token, cancelled]);
    } finally {
      cancellation.detach(stop);
    }
  }

  async #fetchToken(call: UpstreamCall, secret: string, scheme: TokenScheme): Promise<FetchedToken> {
    const { clock } = this.#tools;
    const request = tokenRequestOf(scheme, secret, clock.now());
    const host = URL.canParse(request.url) ? new URL(request.url).host : 'the token server';
    const reply = await this.#send({
      pool: `${call.pool} token`,
      url: request.url,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: request.body,
      egress: call.egress,
      connectMs: TOKEN_MS,
      headersMs: TOKEN_MS,
      idleMs: TOKEN_MS,
      deadlineAtMs: clock.monotonicMs() + TOKEN_MS,
    });
    const token = readToken(reply.status, await reply.text(TOKEN_BYTES), host);
    if ('kind' in token) throw new TransportError(token, 'headers');
    return token;
  }
}

const NO_CREDENTIAL = 'the credential is not of the kind that this provider signs with';

function tokenRequestOf(scheme: TokenScheme, secret: string, nowMs: number) {
  let request: ReturnType<typeof tokenRequest>;
  try {
    request = tokenRequest(scheme, secret, nowMs);
  } catch {
    // The error of a key that cannot be read may quote it.
    throw unusable('the private key of the service account cannot be read');
  }
  if (!request) throw unusable(NO_CREDENTIAL);
  return request;
}

function withBearer(call: UpstreamCall, token: string): UpstreamCall {
  return { ...call, headers: { ...call.headers, authorization: `Bearer ${token}` }, signing: undefined };
}

function wholeBody(body: UpstreamBody | undefined): string | Uint8Array | undefined | 'stream' {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return body;
  return Array.isArray(body) ? Buffer.concat(body) : 'stream';
}

function unusable(message: string): TransportError {
  return new TransportError({ kind: 'credential', code: 'credential_unusable', message }, 'connect');
}
