/**
 * What a process knows of its own health, as outages: journal, disk, gateways, carriers, books. It costs requests
 * nothing.
 */
import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { SeenOutage } from './note-outage.ts';

/** The state of this replica. */
export interface OwnFacts {
  replica: string;
  /** How many closed requests wait for the database, and the bytes they take. */
  journal(): { depth: number; bytes: number };
  /** The journal is full when either bound is reached. */
  journalMax: { records: number; bytes: number };
  /** The disk under the data directory; undefined where it cannot be read. */
  disk(): Promise<{ freeBytes: number; totalBytes: number } | undefined>;
  /** Gateways that have not answered since then, as this replica saw. */
  silentGateways(): { gateway: string; since: number; last: number }[];
  /** Since when every carrier has refused SMS, over several tries; undefined where one accepted. */
  smsRefusedSince(): number | undefined;
  /** The results of proofs that have ended; reading them starts none. */
  books(): Promise<{
    verdict: string;
    provedAt: Date | null;
    reason: string | null;
    failing: { check: string; name: string; detail: string; run: string }[];
  }>;
  /** Since when the exchange rate could not be read, where that is too long. */
  staleRate(): { since: Date; problem: string | null } | undefined;
}

/**
 * The share of the journal's limit at which it becomes an outage; posting empties it within a second when all is well.
 */
const GROWING = 0.05;
const LOW_DISK = 0.1;
const SILENT_MS = 15 * MINUTE_MS;

export async function ownConditions(facts: OwnFacts, nowMs: number): Promise<SeenOutage[]> {
  return [
    ...journal(facts, nowMs),
    ...(await disk(facts, nowMs)),
    ...gateways(facts),
    ...carriers(facts),
    ...(await books(facts, nowMs)),
    ...rate(facts),
  ];
}

function journal({ replica, journal: health, journalMax }: OwnFacts, nowMs: number): SeenOutage[] {
  const { depth, bytes } = health();
  if (depth <= journalMax.records * GROWING && bytes <= journalMax.bytes * GROWING) return [];
  const data = { depth, most: journalMax.records };
  return [{ kind: 'journal.growing', subject: replica, severity: 'critical', since: new Date(nowMs), data }];
}

async function disk({ replica, disk: ask }: OwnFacts, nowMs: number): Promise<SeenOutage[]> {
  const room = await ask();
  if (room === undefined || room.totalBytes === 0 || room.freeBytes >= room.totalBytes * LOW_DISK) return [];
  const data = { percent: Math.floor((room.freeBytes / room.totalBytes) * 100) };
  return [{ kind: 'disk.low', subject: replica, severity: 'critical', since: new Date(nowMs), data }];
}

/** Gateways that were tried for a quarter of an hour and never answered. */
function gateways({ silentGateways }: OwnFacts): SeenOutage[] {
  return silentGateways()
    .filter(({ since, last }) => last - since >= SILENT_MS)
    .map(({ gateway, since }) => ({
      kind: 'payments.unreachable',
      subject: gateway,
      severity: 'major',
      since: new Date(since),
      data: { gateway },
    }));
}

function carriers({ smsRefusedSince }: OwnFacts): SeenOutage[] {
  const since = smsRefusedSince();
  return since === undefined
    ? []
    : [{ kind: 'sms.unreachable', subject: 'sms', severity: 'critical', since: new Date(since) }];
}

async function books({ books: ask }: OwnFacts, nowMs: number): Promise<SeenOutage[]> {
  const { verdict, failing, provedAt, reason } = await ask();
  const since = new Date(nowMs);
  const wrong = failing.map(({ check, name, run }) => ({
    kind: 'books.unproved' as const,
    subject: check,
    severity: 'critical' as const,
    since,
    data: { check: name, id: check, link: `/operator/ledger/proofs?run=${run}` },
  }));
  if (verdict !== 'unproven') return wrong;
  const data = { since: provedAt?.toISOString() ?? null, reason };
  return [
    ...wrong,
    { kind: 'books.unfinished', subject: 'proof', severity: 'warning', since: provedAt ?? since, data },
  ];
}

function rate({ staleRate }: OwnFacts): SeenOutage[] {
  const stale = staleRate();
  if (stale === undefined) return [];
  const data = { since: stale.since.toISOString(), problem: stale.problem };
  return [{ kind: 'rate.stale', subject: 'rate', severity: 'warning', since: stale.since, data }];
}
