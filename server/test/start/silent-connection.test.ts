import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startGateway } from '../harness/start-gateway.ts';

it('a connection on which nothing was ever asked does not hold up the end', async () => {
  const gateway = await startGateway();
  const { hostname, port } = new URL(gateway.origin);
  const silent = connect(Number(port), hostname);
  await once(silent, 'connect');
  // The server must know of it before it stops.
  expect((await gateway.fetch('/healthz')).status).toBe(200);
  const closed = once(silent, 'close');
  // Keep-alive is longer than a test may take: without the bound this times out.
  await gateway.stop();
  await closed;
});
