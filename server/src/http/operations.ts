/** For machines that watch us: liveness, readiness, metrics. */
import type { FastifyInstance } from 'fastify';
import type { AdmissionHealth } from '../admission/index.ts';
import type { JsonObject } from '../core/json.ts';
import type { JournalHealth, PosterHealth } from '../ledger/index.ts';
import type { Database } from '../platform/db/index.ts';
import type { TransportStats } from '../platform/upstream/index.ts';

export interface Operations {
  /** It listens, but nobody may come in yet. */
  starting(): boolean;
  /** Nothing new is accepted any more. */
  draining(): boolean;
  databaseHealthy(): boolean;
  databaseKind(): Database['kind'];
  admissionHealth(): AdmissionHealth;
  journalHealth(): JournalHealth;
  posterHealth(): PosterHealth;
  /** Connections to providers. */
  transportStats(): Pick<TransportStats, 'running' | 'pools'>;
  journalAccepting(): boolean;
  metrics(): { contentType: string; text: string };
  /** Metrics tell what is earned with each model; a reverse proxy on this machine would open them to everybody. */
  mayReadMetrics(token: string | undefined): boolean;
}

export function operations(app: FastifyInstance, ops: Operations): void {
  app.get('/healthz', async (_request, reply) => {
    const starting = ops.starting();
    return reply
      .code(starting ? 503 : 200)
      .type('application/json')
      .send({ status: starting ? 'starting' : 'ok' });
  });

  app.get('/readyz', async (_request, reply) => {
    const ready = !ops.starting() && !ops.draining() && ops.journalAccepting();
    const admission = ops.admissionHealth();
    const impaired = admission.mode === 'degraded' || !ops.databaseHealthy() || ops.posterHealth().failures > 0;
    return reply
      .code(ready ? 200 : 503)
      .type('application/json')
      .send({
        status: ready ? (impaired ? 'degraded' : 'ready') : 'not_ready',
        draining: ops.draining(),
        // Requests go on without the database; charges wait in the journal.
        database: ops.databaseHealthy() ? 'ok' : 'unreachable',
        admission,
        ...recordsHealth(ops),
      });
  });

  app.get('/metrics', async (request, reply) => {
    if (!ops.mayReadMetrics(bearerOf(request.headers.authorization))) {
      const words = 'metrics need Authorization: Bearer with DARGAH_METRICS_TOKEN or the operator token\n';
      return reply.code(401).header('www-authenticate', 'Bearer').type('text/plain').send(words);
    }
    const { contentType, text } = ops.metrics();
    return reply.type(contentType).send(text);
  });
}

/**
 * Health of a charge's path from the journal to the database, and of the connections to providers. The operator API shows it too.
 */
export function recordsHealth(
  ops: Pick<Operations, 'journalHealth' | 'journalAccepting' | 'posterHealth' | 'transportStats'>,
): JsonObject {
  const { writing, depth, bytes, segments, setAside } = ops.journalHealth();
  const { failures, posted } = ops.posterHealth();
  const { running, pools } = ops.transportStats();
  const sum = (count: 'connected' | 'queued') => pools.reduce((total, pool) => total + pool[count], 0);
  return {
    journal: { depth, accepting: ops.journalAccepting(), writing, bytes, segments, set_aside: setAside },
    poster: { posted, consecutive_failures: failures },
    upstream: { running, connected: sum('connected'), queued: sum('queued') },
  };
}

function bearerOf(authorization: string | undefined): string | undefined {
  return authorization?.slice(0, 7).toLowerCase() === 'bearer ' ? authorization.slice(7).trim() : undefined;
}
