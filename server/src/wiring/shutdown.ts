/** The order in which a service ends, so that nothing that was delivered goes uncharged. */
import type { FastifyInstance } from 'fastify';
import type { BatchRunner } from '../batches/index.ts';
import type { Http, HttpOptions } from '../http/index.ts';
import type { People } from '../people/index.ts';
import type { ResponseStore } from '../responses/index.ts';
import type { OpenedBooks } from './books.ts';
import type { Foundation } from './foundation.ts';
import type { RequestPath } from './request-path.ts';
import type { ServicePhase } from './service-phase.ts';
import type { Tracing } from './tracing.ts';

export interface ServiceParts {
  base: Foundation;
  books: OpenedBooks;
  path: RequestPath;
  batches: { runner: BatchRunner };
  responses: ResponseStore;
  people: People;
  exporter: Tracing['exporter'];
  http: Http;
  phase: ServicePhase;
  admin: Pick<HttpOptions['admin'], 'matrix'>;
  farewell: Farewell;
  /** How long running requests may take to end by themselves. */
  drainMs: number;
}

export interface Farewell {
  /** How long everything is still accepted: proxies may not yet know a process that was replaced before and is back. */
  openMs: number;
  /** After this time without a request on any kept connection, proxies no longer use them. */
  quietMs: number;
}

/** Without a proxy there is nobody to wait for. */
export const NO_FAREWELL: Farewell = { openMs: 0, quietMs: 0 };

/**
 * At first only `/readyz` changes. Then no connection is accepted any more, so that a proxy goes to another process at
 * once. Connections that proxies keep get one more request, whose answer closes them: a client that finds its
 * connection closed while it sends cannot know whether the request was received.
 */
async function partFromClients({ phase, farewell, http, path, drainMs }: ServiceParts): Promise<void> {
  const { lastRequests } = http;
  phase.enter('leaving');
  await pause(farewell.openMs);
  await lastRequests.stopListening();
  phase.enter('parting');
  http.leaveSockets();
  await within(drainMs, lastRequests.answered(path.gw.running, farewell.quietMs));
  phase.enter('closed');
}

export async function shutDown(parts: ServiceParts): Promise<void> {
  const { base, books, path, responses, people, exporter, http } = parts;
  const { running } = path.gw;
  // A proof stops at its next slice; another replica, or the next start, goes on with it.
  books.proofs.stop();
  parts.admin.matrix.conformance.stop();
  // No new line of a batch is started; running ones end with the other requests.
  const linesEnded = parts.batches.runner.stop();
  await partFromClients(parts);
  running.cancelAll('shutting down');
  await within(2_000, running.idle());
  await within(2_000, linesEnded).catch(() => undefined);
  await closeWithin(2_000, http.app, http.cutConnections);
  if (!(await books.poster.drain(10_000))) {
    const depth = books.journal.depth();
    base.log.warn({ depth }, 'the database did not take everything; the journal keeps it for the next start');
  }
  await within(2_000, responses.flush()).catch(() => undefined);
  await within(2_000, path.sharedClaims.flush());
  await within(2_000, path.gw.replays.flush());
  await within(2_000, path.uptime.flush()).catch(() => undefined);
  await within(2_000, path.uptime.health.flush()).catch(() => undefined);
  await within(2_000, path.reasoning.flush()).catch(() => undefined);
  path.knowledge.stop();
  path.closeNews();
  path.gw.replays.close();
  path.gw.responseCache.close();
  await people.passwords.close();
  await path.judge.close();
  if (exporter) await within(2_000, exporter.flush());
  await base.background.drain(2_000);
  // The journal closes first: after that nothing can be charged, and admission may drop its holds.
  await books.journal.shutdown();
  await books.admission.close();
  await within(2_000, base.archive?.archive.close() ?? Promise.resolve()).catch(() => undefined);
  await base.close();
}

function pause(forMs: number): Promise<unknown> {
  return new Promise((resolve) => setTimeout(resolve, forMs));
}

function within(limitMs: number, work: Promise<unknown>): Promise<unknown> {
  return Promise.race([work, new Promise((resolve) => setTimeout(resolve, limitMs).unref())]);
}

/**
 * Every answer has ended; what is left are last bytes on their way to slow readers, and connections on which nothing was ever
 * asked. The latter do not count as idle, and would hold up the end for as long as an idle connection may live.
 */
async function closeWithin(limitMs: number, app: FastifyInstance, cutConnections: () => void): Promise<void> {
  const closed = app.close().then(() => undefined);
  await within(limitMs, closed);
  cutConnections();
  await closed;
}
