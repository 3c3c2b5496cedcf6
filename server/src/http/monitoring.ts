/** Endpoints for monitoring: liveness, readiness, metrics. */
import type { FastifyInstance } from 'fastify';
import type { AdmissionHealth } from '../admission/index.ts';
import { VERSION } from '../core/version.ts';
import type { JournalHealth, PosterHealth } from '../ledger/index.ts';
import type { Database } from '../platform/db/index.ts';
import type { TransportStats } from '../platform/upstream/index.ts';

export interface Monitored {
  /** The server listens, but does not accept requests yet. */
  starting(): boolean;
  /** Nothing new is accepted any more. */
  draining(): boolean;
  databaseHealthy(): boolean;
  databaseKind(): Database['kind'];
  /** The newest migration that the database had when this process started. */
  schema(): number;
  admissionHealth(): AdmissionHealth;
  journalHealth(): JournalHealth;
  posterHealth(): PosterHealth;
  /** Connections to providers. */
  transportStats(): Pick<TransportStats, 'running' | 'pools'>;
  journalAccepting(): boolean;
  /** Metrics of all processes, where several share one port. */
  metrics(): { contentType: string; text: string | Promise<string> };
  /**
   * Metrics reveal what is earned with each model, and a reverse proxy on this machine would open them to everybody, so
   * they need a token.
   */
  mayReadMetrics(token: string | undefined): boolean;
}

export function monitoring(app: FastifyInstance, watched: Monitored): void {
  app.get('/healthz', async (_request, reply) => {
    const starting = watched.starting();
    return reply
      .code(starting ? 503 : 200)
      .type('application/json')
      .send({ status: starting ? 'starting' : 'ok' });
  });

  app.get('/readyz', async (_request, reply) => {
    const ready = !watched.starting() && !watched.draining() && watched.journalAccepting();
    const admission = watched.admissionHealth();
    const impaired = admission.mode === 'degraded' || !watched.databaseHealthy() || watched.posterHealth().failures > 0;
    return reply
      .code(ready ? 200 : 503)
      .type('application/json')
      .send({
        status: ready ? (impaired ? 'degraded' : 'ready') : 'not_ready',
        version: VERSION,
        schema: watched.schema(),
        draining: watched.draining(),
        // Requests are served without the database; charges wait in the journal.
        database: watched.databaseHealthy() ? 'ok' : 'unreachable',
        admission,
        ...recordsHealth(watched),
      });
  });

  app.get('/metrics', async (request, reply) => {
    if (!watched.mayReadMetrics(bearerOf(request.headers.authorization))) {
      const words = 'metrics need Authorization: Bearer with DARGAH_METRICS_TOKEN or the operator token\n';
      return reply.code(401).header('www-authenticate', 'Bearer').type('text/plain').send(words);
    }
    const { contentType, text } = watched.metrics();
    return reply.type(contentType).send(await text);
  });
}

/**
 * Health of a charge's path from the journal to the database, and of the connections to providers. The operator API shows it too.
 */
export function recordsHealth(
  watched: Pick<Monitored, 'journalHealth' | 'journalAccepting' | 'posterHealth' | 'transportStats'>,
) {
  const { writing, depth, bytes, segments, deadLetters } = watched.journalHealth();
  const { failures, posted } = watched.posterHealth();
  const { running, pools } = watched.transportStats();
  const sum = (count: 'connected' | 'queued') => pools.reduce((total, pool) => total + pool[count], 0);
  return {
    journal: { depth, accepting: watched.journalAccepting(), writing, bytes, segments, set_aside: deadLetters },
    poster: { posted, consecutive_failures: failures },
    upstream: { running, connected: sum('connected'), queued: sum('queued') },
  };
}

function bearerOf(authorization: string | undefined): string | undefined {
  return authorization?.slice(0, 7).toLowerCase() === 'bearer ' ? authorization.slice(7).trim() : undefined;
}
