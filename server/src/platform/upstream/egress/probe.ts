/** Looks for the step at which the way to an address fails: name, proxy, connection, TLS. Each with the time it took. */
import { lookup } from 'node:dns/promises';
import net, { type Socket } from 'node:net';
import { destinationOf, secureOver } from '#http-client';
import type { Clock } from '../../../core/clock.ts';
import { DIRECT, type Egress, readEgress } from './address.ts';
import { dial } from './dial.ts';
import type { EnvironmentEgress } from './environment.ts';
import { type EgressTerms, trusted } from './ways.ts';

export interface ProbeStep {
  step: 'dns' | 'proxy' | 'connect' | 'tls' | 'auth' | 'model';
  ok: boolean;
  ms: number;
  /** What was found, or why it failed; never a secret. */
  detail: string;
}

export interface WayProbe {
  /** The way out; `direct` without one. */
  via: string;
  steps: ProbeStep[];
}

export interface ProbeTools {
  clock: Clock;
  environment: EnvironmentEgress | undefined;
  timeoutMs: number;
}

export async function probeWays(url: string, terms: EgressTerms | undefined, tools: ProbeTools): Promise<WayProbe[]> {
  const destination = destinationOf(new URL(url));
  const addresses = terms?.ways ?? tools.environment?.waysTo(destination) ?? [];
  const ways = addresses.map(readEgress).filter((way): way is Egress => typeof way !== 'string');
  const probes: WayProbe[] = [];
  for (const way of ways.length > 0 ? ways : [DIRECT])
    probes.push({ via: way.name, steps: await probeWay(way, url, terms, tools) });
  return probes;
}

async function probeWay(
  way: Egress,
  url: string,
  terms: EgressTerms | undefined,
  { clock, timeoutMs }: ProbeTools,
): Promise<ProbeStep[]> {
  const destination = {
    ...destinationOf(new URL(url)),
    ...(terms?.caFile === undefined ? {} : { certificateAuthorities: trusted(terms.caFile) }),
  };
  const { hostname, port, secure } = destination;
  const steps: ProbeStep[] = [];
  const run = async <T>(step: ProbeStep['step'], work: () => Promise<[T, string]>): Promise<T | undefined> => {
    const begunMs = clock.monotonicMs();
    const ms = () => Math.round(clock.monotonicMs() - begunMs);
    try {
      const [value, detail] = await work();
      steps.push({ step, ok: true, ms: ms(), detail });
      return value;
    } catch (error) {
      steps.push({ step, ok: false, ms: ms(), detail: wordsOf(error) });
      return undefined;
    }
  };
  // A proxy that is handed the name resolves it itself.
  const resolvesHere = way.kind === 'direct' || way.kind === 'socks5';
  if (resolvesHere && net.isIP(hostname) === 0) {
    const found = await run('dns', async () => {
      const all = await lookup(hostname, { all: true });
      return [all, all.map(({ address }) => address).join(', ')];
    });
    if (!found) return steps;
  }
  const signal = AbortSignal.timeout(timeoutMs);
  const localAddress = terms?.sourceAddress;
  const socket = await run(way.kind === 'direct' ? 'connect' : 'proxy', async () => {
    const open = await dial(way, { hostname, port }, { localAddress }, signal);
    return [open, way.kind === 'direct' ? `${open.remoteAddress}:${port}` : `tunnel to ${hostname}:${port}`];
  });
  if (socket && secure) await run('tls', () => handshake(secureOver(socket, destination, undefined), signal));
  socket?.destroy();
  return steps;
}

function handshake(socket: Socket, signal: AbortSignal): Promise<[true, string]> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('it took too long')), { once: true });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const { getProtocol } = socket as unknown as { getProtocol(): string };
      resolve([true, getProtocol.call(socket)]);
      socket.destroy();
    });
  });
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined || error.message.includes(code) ? error.message : `${error.message} (${code})`;
}
