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
  /** The operator's token, or a call from this very machine. */
  mayReadMetrics(authorization: string | undefined, remoteAddress: string | undefined): boolean;
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
    if (!ops.mayReadMetrics(request.headers.authorization, request.socket.remoteAddress)) {
      return reply.code(403).type('text/plain').send('metrics are for the operator or for this machine\n');
    }
    const { contentType, text } = await ops.metrics();
    return reply.type(contentType).send(text);
  });
}
