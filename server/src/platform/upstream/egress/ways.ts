/** The ways from one provider's pool to its host, each with connections of its own. */
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import type { ClientPool, Connector, Destination } from '#http-client';
import type { Clock } from '../../../core/clock.ts';
import { DIRECT, type Egress, readEgress } from './address.ts';
import { type Egresses, untried, type WayHealth } from './egresses.ts';
import type { EnvironmentEgress } from './environment.ts';

/** How a provider is reached, as the operator configured it. */
export interface EgressTerms {
  /** Two terms with the same key are the same: connections are kept. */
  key: string;
  /** Addresses in order; undefined: what the environment says. */
  ways: readonly string[] | undefined;
  /** A file with certificates that are trusted beside the well-known ones. */
  caFile: string | undefined;
  /** The address of this machine that connections come from. */
  sourceAddress: string | undefined;
}

export interface Way {
  /** Shown on the operator's receipt. */
  name: string;
  health: WayHealth;
  connections: ClientPool;
  /** The destination of its connections, and the proxy that they go through. */
  destination: Destination;
}

export interface WayTools {
  egresses: Egresses;
  environment: EnvironmentEgress | undefined;
  open(destination: Destination): ClientPool;
}

export function openWays(destination: Destination, terms: EgressTerms | undefined, tools: WayTools): Way[] {
  const { environment, egresses, open } = tools;
  const localAddress = terms ? (terms.sourceAddress ?? environment?.localAddress) : undefined;
  const own: Destination = {
    ...destination,
    ...(terms?.caFile === undefined ? {} : { certificateAuthorities: trusted(terms.caFile) }),
    ...(localAddress === undefined ? {} : { localAddress }),
  };
  const ways = waysOf(own, terms, environment);
  // Without a second way nobody needs the health of the direct one, and keeping it for every host that customers name would have
  // no bound.
  const direct = () => (ways.length > 1 ? egresses.healthOfDirect(own.hostname) : untried(DIRECT.name));
  return ways.map((egress) => {
    const to = egress === DIRECT ? own : { ...own, connect: egresses.connectorFor(egress, { localAddress }) };
    const health = egress === DIRECT ? direct() : egresses.healthOf(egress);
    return { name: egress.name, health, connections: open(to), destination: to };
  });
}

/** A call without terms is not a provider's and goes out directly. */
function waysOf(
  destination: Destination,
  terms: EgressTerms | undefined,
  environment: EnvironmentEgress | undefined,
): readonly Egress[] {
  const addresses = terms ? (terms.ways ?? environment?.waysTo(destination) ?? []) : [];
  const ways = readWays(addresses);
  return ways.length > 0 ? ways : [DIRECT];
}

export interface PinnedWays {
  egresses: Egresses;
  environment: EnvironmentEgress | undefined;
  clock: Clock;
  /** Time for all ways together until a connection is made. */
  connectMs: number;
}

/**
 * For an address that a user wrote and that was checked: every way is told the checked address and never the name, which a
 * proxy could resolve to something inside. Each way gets an equal part of the time that is left, so that a silent one leaves
 * time for the next. Undefined: directly.
 */
export function pinnedConnector(destination: Destination, address: string, tools: PinnedWays): Connector | undefined {
  const { egresses, environment, clock, connectMs } = tools;
  const ways = readWays(environment?.waysTo(destination) ?? []).map((egress) => ({
    health: egresses.healthOf(egress),
    connect: egresses.connectorFor(egress, { localAddress: environment?.localAddress }),
  }));
  if (ways.length === 0) return undefined;
  return async ({ port }, signal) => {
    const untilMs = clock.monotonicMs() + connectMs;
    const inOrder = egresses.inOrder(ways);
    let last: unknown;
    for (const [tried, way] of inOrder.entries()) {
      const turnMs = Math.max(1, (untilMs - clock.monotonicMs()) / (inOrder.length - tried));
      const turn = AbortSignal.timeout(Math.ceil(turnMs));
      try {
        return await way.connect({ hostname: address, port }, AbortSignal.any([signal, turn]));
      } catch (error) {
        if (signal.aborted) throw error;
        if (turn.aborted) egresses.unreachable(way.health, 'no connection stood in time');
        last = error;
      }
    }
    throw last;
  };
}

function readWays(addresses: readonly string[]): Egress[] {
  return addresses.flatMap((address) => {
    const egress = readEgress(address);
    return typeof egress === 'string' ? [] : [egress];
  });
}

/** The certificates of the file are trusted in addition to the well-known ones. */
export function trusted(caFile: string): string[] {
  return [...rootCertificates, readFileSync(caFile, 'utf8')];
}
