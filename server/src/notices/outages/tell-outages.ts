/**
 * Tells staff about changes of outages: each beginning and each end once. One that comes back within half an hour is
 * told at most once an hour, and models of one provider that fail together are one message.
 */
import { HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { SEVERITIES, type Severity } from '../event-kind.ts';
import type { Notices } from '../notices.ts';
import { CRITICAL_MODELS } from './judge.ts';
import { latelyOutages, MARK_OUTAGE_TOLD, type Outage } from './outage-rows.ts';

const MAX_NAMED = 5;

export async function tellOutages(tx: Queryable, notices: Pick<Notices, 'raise'>, nowMs: number): Promise<void> {
  const rows = await latelyOutages(tx, nowMs);
  const due = rows.filter((row) => isDue(row, nowMs));
  if (due.length === 0) return;
  for (const group of groupsOf(due, rows)) await tellGroup(tx, notices, group, rows, nowMs);
}

const stateOf = ({ closedAt, severity }: Outage): string => (closedAt === null ? `open:${severity}` : 'closed');

function isDue(row: Outage, nowMs: number): boolean {
  if (row.told === stateOf(row)) return false;
  if (row.reopened === 0 || row.told === null) return true;
  const before = row.told.startsWith('open:') ? SEVERITIES.indexOf(row.told.slice(5) as Severity) : -1;
  if (row.closedAt === null && before >= 0 && SEVERITIES.indexOf(row.severity) > before) return true;
  return row.toldAt === null || row.toldAt.getTime() <= nowMs - HOUR_MS;
}

/** Models of one provider that fail together are one group; every other outage is its own. */
function groupsOf(due: readonly Outage[], rows: readonly Outage[]): Outage[][] {
  const groups = new Map<string, Outage[]>();
  for (const row of due) {
    const together = isTogether(row, rows) ? `${row.provider} ${row.closedAt === null}` : row.id;
    groups.set(together, [...(groups.get(together) ?? []), row]);
  }
  return [...groups.values()];
}

function isTogether({ kind, provider, closedAt, data }: Outage, rows: readonly Outage[]): boolean {
  if (kind !== 'model.failing' || provider === null) return false;
  if (closedAt !== null) return data['together'] === true;
  return openOf(provider, rows).length >= CRITICAL_MODELS;
}

function openOf(provider: string | null, rows: readonly Outage[]): Outage[] {
  return rows.filter((row) => row.kind === 'model.failing' && row.provider === provider && row.closedAt === null);
}

async function tellGroup(
  tx: Queryable,
  notices: Pick<Notices, 'raise'>,
  group: readonly Outage[],
  rows: readonly Outage[],
  nowMs: number,
): Promise<void> {
  const [first] = group;
  if (!first) return;
  const together = isTogether(first, rows);
  if (!together || !isToldAlready(first, rows, nowMs)) await tellOne(tx, notices, first, group, rows, nowMs);
  const mark = together && first.closedAt === null ? { together: true } : {};
  for (const row of group) await MARK_OUTAGE_TOLD.run(tx, [row.id, stateOf(row), new Date(nowMs), mark]);
}

/**
 * A model that joins others of its provider causes no further message; nor does one that ends while others still fail.
 */
function isToldAlready(first: Outage, rows: readonly Outage[], nowMs: number): boolean {
  const open = openOf(first.provider, rows).filter(({ data }) => data['together'] === true);
  if (first.closedAt !== null) return open.length > 0;
  return open.some(({ toldAt }) => toldAt !== null && toldAt.getTime() > nowMs - HOUR_MS);
}

async function tellOne(
  tx: Queryable,
  notices: Pick<Notices, 'raise'>,
  outage: Outage,
  group: readonly Outage[],
  rows: readonly Outage[],
  nowMs: number,
): Promise<void> {
  const { id, kind, closedAt, severity, provider } = outage;
  const all = closedAt === null && isTogether(outage, rows) ? openOf(provider, rows) : group;
  const data = outageData(outage, all);
  const occasion = `${id}:${stateOf(outage)}:${nowMs}`;
  await notices.raise(
    {
      accountId: '',
      event: kind,
      occasion,
      data: { ...data, severity, outage: id },
      link: linkOfOutage(outage, all.length),
    },
    tx,
  );
}

/** The data of the message's sentences; `all` are the outages told with it. */
export function outageData(outage: Outage, all: readonly Outage[] = [outage]): JsonObject {
  return outage.closedAt === null ? openData(outage, all) : closedData(outage, all, outage.closedAt);
}

function openData(outage: Outage, all: readonly Outage[]): JsonObject {
  const { subject, openedAt, peakShare, failed, cause, provider, data, kind } = outage;
  const since = new Date(Math.min(...all.map((row) => row.openedAt.getTime()), openedAt.getTime())).toISOString();
  const own = { ...data, phase: 'opened', since: data['since'] ?? since };
  if (kind !== 'model.failing') return { ...own, provider: provider ?? data['provider'] ?? null };
  const share = Math.round(peakShare * 100);
  const many = all.length > 1 ? { models: all.length, first: namesOf(all) } : {};
  return { ...own, since, model: subject, share, failed, cause, provider, ...many };
}

function closedData(outage: Outage, all: readonly Outage[], closedAt: Date): JsonObject {
  const from = Math.min(...all.map((row) => row.openedAt.getTime()));
  return {
    phase: outage.ending ?? 'recovered',
    from: new Date(from).toISOString(),
    minutes: Math.max(1, Math.round((closedAt.getTime() - from) / MINUTE_MS)),
    failed: all.reduce((sum, row) => sum + row.failed, 0),
    accounts: Math.max(...all.map((row) => row.accounts)),
    name: outage.kind === 'model.failing' ? outage.subject : outage.provider,
    models: all.length,
    provider: outage.provider,
    ...(outage.data['test'] === undefined ? {} : { test: outage.data['test'] }),
  };
}

function namesOf(all: readonly Outage[]): string {
  const names = all.slice(0, MAX_NAMED).map(({ subject }) => subject);
  return names.join(', ') + (all.length > MAX_NAMED ? ', …' : '');
}

const PAGES: Partial<Record<Outage['kind'], string>> = {
  'provider.rescued': '/operator/providers',
  'provider.credential_dead': '/operator/providers',
  'provider.balance_out': '/operator/providers',
  'payments.unreachable': '/operator/payments',
  'books.unproved': '/operator/ledger/proofs',
  'books.unfinished': '/operator/ledger/proofs',
  'rate.stale': '/operator/settings',
};

export function linkOfOutage({ kind, subject, openedAt, data }: Outage, models = 1): string {
  if (kind !== 'model.failing')
    return typeof data['link'] === 'string' ? data['link'] : (PAGES[kind] ?? '/operator/system');
  const query = new URLSearchParams({ state: 'failed', ...(models > 1 ? {} : { model: subject }) });
  query.set('from', openedAt.toISOString());
  return `/operator/requests?${query}`;
}
