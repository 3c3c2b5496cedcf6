/** The kinds of outages, and how their end is noticed. */
import type { EventName } from '../events.ts';

/** Judged by the failures that customers met. */
const MET_KINDS = [
  'model.failing',
  'provider.rescued',
  'provider.credential_dead',
  'provider.balance_out',
] as const satisfies readonly EventName[];

/** Seen by replicas while they last, and over when none has seen them for a while. */
const OWN_KINDS = [
  'database.away',
  'journal.growing',
  'disk.low',
  'payments.unreachable',
  'sms.unreachable',
  'books.unproved',
  'books.unfinished',
  'rate.stale',
] as const satisfies readonly EventName[];

export type OutageKind = (typeof MET_KINDS)[number] | (typeof OWN_KINDS)[number];

export function isOwnKind(kind: OutageKind): boolean {
  return (OWN_KINDS as readonly string[]).includes(kind);
}
