import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { FastPath } from '../src/index.ts';

/** A client's connection to a server that a fast path stands before. All three end with the test. */
export async function connectionTo(server: Server, fastPath: FastPath<string>): Promise<Socket> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  onTestFinished(() => {
    client.destroy();
    fastPath.close();
    server.closeAllConnections();
    server.close();
  });
  return client;
}
