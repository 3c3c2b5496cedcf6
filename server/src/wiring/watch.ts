/** The health of the running service, as /metrics, /readyz and the operator read it. */
import type { Gateway } from '../gateway/index.ts';
import type { HttpOptions } from '../http/index.ts';
import type { BooksState, JournalHealth, PosterHealth } from '../ledger/index.ts';
import { MEMORY_KINDS, type MemoryState } from '../platform/memory-budget.ts';
import type { Metrics } from '../platform/telemetry/index.ts';
import { metricsReader } from '../processes/supervised.ts';
import type { TargetHealth } from '../routing/index.ts';
import type { OpenedBooks } from './books.ts';
import type { Foundation } from './foundation.ts';

const BREAKER: Record<TargetHealth['state'], number> = { open: 1, 'half-open': 0.5, probing: 0.5, closed: 0 };

export interface LedgerHealth {
  journal(): JournalHealth;
  poster(): PosterHealth;
  /** As last read; every replica reads it twice a minute. */
  books(): BooksState | undefined;
}

export function watch(metrics: Metrics, gw: Gateway, lag: { readonly lagMs: number }, ledger: LedgerHealth): void {
  const { router, running, journal } = gw;
  metrics.gauge('dargah_requests_running', 'Requests being answered now.', () => running.size);
  metrics.gauge('dargah_journal_depth', 'Closed requests that wait for the database.', () => journal.depth());
  metrics.gauge(
    'dargah_charges_set_aside',
    'Charges that the database cannot take.',
    () => ledger.journal().deadLetters,
  );
  metrics.gauge('dargah_posting_failures', 'Failed postings in a row.', () => ledger.poster().failures);
  metrics.gauge(
    'dargah_books_failing',
    'Checks of the books that the last proof found wrong.',
    () => ledger.books()?.failing.length ?? 0,
  );
  metrics.gauge('dargah_books_unproven', '1: no proof of the books has ended for 26 hours, or tries failed.', () =>
    ledger.books()?.verdict === 'unproven' ? 1 : 0,
  );
  metrics.gauge('dargah_event_loop_lag_seconds', 'Smoothed delay of the event loop.', () => lag.lagMs / 1000);
  metrics.gauge('dargah_admission_degraded', '1: limits are enforced without Redis, from what was leased.', () =>
    gw.admission.health().mode === 'degraded' ? 1 : 0,
  );
  metrics.gauge('dargah_memory_budget_bytes', 'Memory that requests may hold together.', () => gw.memory.maxBytes);
  metrics.gauge('dargah_memory_held_bytes', 'What large requests hold of it, by kind, and small bodies.', () =>
    heldMemory(gw.memory.state),
  );
  metrics.gauge('dargah_memory_peak_bytes', 'The most that was held since the start.', () => gw.memory.state.peakBytes);
  metrics.gauge('dargah_memory_waiting', 'Requests that wait for memory.', () => gw.memory.state.waiting);
  metrics.counter(
    'dargah_memory_refused_total',
    'Requests turned away for want of memory.',
    () => gw.memory.state.refused,
  );
  metrics.gauge(
    'dargah_replicas_missing',
    'Dead replicas whose holds and charges still count.',
    () => gw.admission.missingReplicas().length,
  );
  const perTarget = (name: string, help: string, read: (health: TargetHealth) => number | undefined) =>
    metrics.gauge(name, help, () =>
      router.snapshot().flatMap((health) => {
        const value = read(health);
        return value === undefined ? [] : [{ labels: { target: health.target, provider: health.provider }, value }];
      }),
    );
  perTarget('dargah_route_open', 'Circuit breaker: 1 open, 0.5 probing, 0 closed.', ({ state }) => BREAKER[state]);
  perTarget('dargah_route_running', 'Requests running at a route.', ({ inFlight }) => inFlight);
  perTarget('dargah_route_first_event_p50_seconds', 'Median time to the first event.', ({ p50Ms }) => seconds(p50Ms));
  perTarget('dargah_route_first_event_p95_seconds', '95th percentile of it.', ({ p95Ms }) => seconds(p95Ms));
}

export function healthSources(base: Foundation, books: OpenedBooks, metrics: Metrics): HttpOptions['monitored'] {
  const readAll = metricsReader(metrics);
  return {
    databaseHealthy: () => base.db.healthy(),
    databaseKind: () => base.db.kind,
    schema: () => base.schema,
    admissionHealth: () => books.admission.health(),
    journalHealth: () => books.journal.health(),
    posterHealth: () => books.poster.health(),
    transportStats: () => base.transport.stats(),
    metrics: () => ({ contentType: metrics.contentType, text: readAll() }),
  };
}

function heldMemory({ heldBytes, byKind }: MemoryState) {
  const kinds = MEMORY_KINDS.map((kind) => ({ labels: { kind }, value: byKind[kind] }));
  const large = kinds.reduce((sum, { value }) => sum + value, 0);
  return [...kinds, { labels: { kind: 'small_bodies' }, value: heldBytes - large }];
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}
