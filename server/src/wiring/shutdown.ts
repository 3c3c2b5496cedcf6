/** The order in which a service ends, so that nothing that was delivered goes uncharged. */
import type { FastifyInstance } from 'fastify';

export function within(limitMs: number, work: Promise<unknown>): Promise<unknown> {
  return Promise.race([work, new Promise((resolve) => setTimeout(resolve, limitMs).unref())]);
}

/**
 * Every answer has ended; what is left are last bytes on their way to slow readers, and connections on which nothing was ever
 * asked. The latter do not count as idle, and would hold up the end for as long as an idle connection may live.
 */
export async function closeWithin(limitMs: number, app: FastifyInstance, cutConnections: () => void): Promise<void> {
  const closed = app.close().then(() => undefined);
  await within(limitMs, closed);
  cutConnections();
  await closed;
}
