/** For machines that watch us: liveness, readiness, metrics. */
import type { FastifyInstance } from 'fastify';
import type { AdmissionHealth } from '../admission/index.ts';

export interface Operations {
  /** It listens, but nobody may come in yet. */
  starting(): boolean;
  /** Nothing new is accepted any more. */
  draining(): boolean;
  databaseHealthy(): boolean;
  admissionHealth(): AdmissionHealth;
  journalDepth(): number;
  journalAccepting(): boolean;
  metrics(): Promise<{ contentType: string; text: string }>;
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
    return reply
      .code(ready ? 200 : 503)
      .type('application/json')
      .send({
        status: ready ? (admission.mode === 'degraded' || !ops.databaseHealthy() ? 'degraded' : 'ready') : 'not_ready',
        draining: ops.draining(),
        // Requests go on without the database; charges wait in the journal.
        database: ops.databaseHealthy() ? 'ok' : 'unreachable',
        admission,
        journal: { depth: ops.journalDepth(), accepting: ops.journalAccepting() },
      });
  });

  app.get('/metrics', async (request, reply) => {
    if (!ops.mayReadMetrics(bearerOf(request.headers.authorization))) {
      const words = 'metrics need Authorization: Bearer with DARGAH_METRICS_TOKEN or the operator token\n';
      return reply.code(401).header('www-authenticate', 'Bearer').type('text/plain').send(words);
    }
    const { contentType, text } = await ops.metrics();
    return reply.type(contentType).send(text);
  });
}

function bearerOf(authorization: string | undefined): string | undefined {
  return authorization?.slice(0, 7).toLowerCase() === 'bearer ' ? authorization.slice(7).trim() : undefined;
}
