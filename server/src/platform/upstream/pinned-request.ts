/** One request whose connection goes to a given address, whatever the name would resolve to by now. */
import type { LookupFunction } from 'node:net';
import { type ClientPool, destinationOf } from '#http-client';
import type { Clock } from '../../core/clock.ts';
import { DeadlineSweep } from './deadline-sweep.ts';
import { Egresses, type EnvironmentEgress, pinnedConnector } from './egress/index.ts';
import { Exchange } from './exchange.ts';
import { type FetchLimits, type ResolvedAddress, SafeFetchError } from './fetch-terms.ts';
import { TransportError, type UpstreamCall, type UpstreamReply } from './port.ts';
import { openPool, type UpstreamClient } from './transport.ts';

interface PinnedAnswer {
  status: number;
  location: string | undefined;
  type: string;
  bytes: Uint8Array;
}

type PinnedRequest = (
  url: URL,
  address: ResolvedAddress,
  limits: FetchLimits,
  deadlineAtMs: number,
  /** When absent, a plain GET is sent. */
  sent?: PinnedBody,
) => Promise<PinnedAnswer>;

export interface PinnedBody {
  headers: Record<string, string>;
  body: string;
}

const CONNECT_MS = 5_000;
/** An answer that does not say how long it is gets memory in such steps. */
const STEP_BYTES = 256 * 1024;

export interface PinnedRequestOptions {
  clock: Clock;
  client?: UpstreamClient | undefined;
  /** The ways out that the environment names. */
  egress?: EnvironmentEgress | undefined;
}

export function createPinnedRequest({ clock, client, egress }: PinnedRequestOptions): PinnedRequest {
  const egresses = new Egresses({ clock, log: { info: () => undefined, warn: () => undefined } });
  const sweep = new DeadlineSweep(clock);
  return async (url, address, limits, deadlineAtMs, sent) => {
    // Connections of its own, closed afterwards: a kept one could be reused for a name that was never checked.
    const pinned: LookupFunction = (_hostname, { all }, callback) => {
      if (all) callback(null, [address]);
      else callback(null, address.address, address.family);
    };
    const destination = destinationOf(url);
    const connectMs = connectLimit(deadlineAtMs, clock.monotonicMs());
    const connect = pinnedConnector(destination, address.address, { egresses, environment: egress, clock, connectMs });
    const connections = openPool(client, { ...destination, lookup: pinned, connect }, 1);
    try {
      const reply = await open(connections, url, sweep, clock, deadlineAtMs, sent);
      return await readAnswer(reply, limits);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      const { kind, message } = error.failure;
      throw new SafeFetchError(kind === 'timeout' ? 'timeout' : 'network', message);
    } finally {
      await connections.destroy(new Error('not needed any more'));
    }
  };
}

function connectLimit(deadlineAtMs: number, nowMs: number): number {
  return Math.min(CONNECT_MS, Math.max(0, deadlineAtMs - nowMs));
}

function open(
  connections: ClientPool,
  url: URL,
  sweep: DeadlineSweep,
  clock: Clock,
  deadlineAtMs: number,
  sent: PinnedBody | undefined,
): Promise<UpstreamReply> {
  return new Promise((resolve, reject) => {
    const nowMs = clock.monotonicMs();
    const limitMs = Math.max(0, deadlineAtMs - nowMs);
    const call: UpstreamCall = {
      pool: '',
      url: url.href,
      method: sent ? 'POST' : 'GET',
      headers: { accept: '*/*', 'user-agent': 'dargah', ...sent?.headers },
      ...(sent ? { body: sent.body } : {}),
      connectMs: connectLimit(deadlineAtMs, nowMs),
      headersMs: limitMs,
      idleMs: limitMs,
      deadlineAtMs,
    };
    const exchange = new Exchange(call, url.host, sweep, nowMs, { resolve, reject });
    connections.dispatch(call, `${url.pathname}${url.search}`, exchange);
  });
}

async function readAnswer(reply: UpstreamReply, limits: FetchLimits): Promise<PinnedAnswer> {
  const { types } = limits;
  const type = (reply.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const head = { status: reply.status, location: reply.header('location'), type };
  if (reply.status !== 200) {
    reply.abort('not needed');
    return { ...head, bytes: new Uint8Array() };
  }
  if (!isWanted(type, types)) {
    reply.abort('not the wanted type');
    throw new SafeFetchError('type', `the type '${type}' is not taken`);
  }
  try {
    return { ...head, bytes: await readBody(reply, limits) };
  } catch (error) {
    reply.abort('not read to its end');
    throw error;
  }
}

async function readBody(reply: UpstreamReply, { maxBytes, reserve }: FetchLimits): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let taken = 0;
  const makeRoom = async (bytes: number): Promise<void> => {
    if (bytes > maxBytes) throw new SafeFetchError('too-large', `larger than ${maxBytes} bytes`);
    if (bytes <= taken) return;
    const step = Math.max(Math.min(STEP_BYTES, maxBytes - taken), bytes - taken);
    await reserve?.(step);
    taken += step;
  };
  const declared = Number(reply.header('content-length') ?? 0);
  if (Number.isSafeInteger(declared)) await makeRoom(declared);
  for (let chunk = await reply.read(); chunk !== null; chunk = await reply.read()) {
    size += chunk.length;
    await makeRoom(size);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function isWanted(type: string, wanted: readonly string[] | undefined): boolean {
  if (!wanted) return true;
  return wanted.some(
    (pattern) => pattern === type || (pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1))),
  );
}
