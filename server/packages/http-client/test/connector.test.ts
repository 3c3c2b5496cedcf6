/** Connections that somebody else opens: what a proxy, a tunnel or a socket file needs of the client. Both clients take it. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_CERTIFICATE, TEST_KEY } from '../../../test/platform/upstream/test-certificate.ts';
import { type ClientPool, ConnectionPool, type Connector, type Destination, NodePool } from '../src/index.ts';

const pools = [
  ['own', (destination: Destination, most: number): ClientPool => new ConnectionPool(destination, most)],
  ['node', (destination: Destination, most: number): ClientPool => new NodePool(destination, most)],
] as const;

let plain: Server;
let secure: Server;
beforeAll(async () => {
  const answer = (_: unknown, response: { end(text: string): void }) => response.end('here');
  plain = createServer(answer).listen(0, '127.0.0.1');
  secure = createSecureServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, answer).listen(0, '127.0.0.1');
  await Promise.all([once(plain, 'listening'), once(secure, 'listening')]);
});
afterAll(() => {
  plain.close();
  secure.close();
});

const portOf = (server: Server) => (server.address() as AddressInfo).port;

function ask(pool: ClientPool): Promise<string> {
  return new Promise((resolve, reject) => {
    let body = '';
    pool.dispatch({ method: 'GET', headers: {} }, '/', {
      done: false,
      onAssigned: () => undefined,
      onSent: () => undefined,
      onHead: () => undefined,
      onBody(chunk) {
        body += chunk;
        return true;
      },
      onEnd: () => resolve(body),
      onError: reject,
    });
  });
}

/** Wherever it is asked to lead, it leads to this port, and remembers the question. */
function leadingTo(port: number, asked: object[]): Connector {
  return async (target) => {
    asked.push(target);
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
}

describe.each(pools)('the pool: %s', (_, open) => {
  it.each([
    ['HTTP', false],
    ['HTTPS', true],
  ])('speaks %s over the socket it was given, and keeps it', async (_name, isSecure) => {
    const asked: object[] = [];
    const pool = open(
      {
        secure: isSecure,
        host: '127.0.0.1:1',
        hostname: '127.0.0.1',
        port: 1,
        certificateAuthorities: [TEST_CERTIFICATE],
        connect: leadingTo(portOf(isSecure ? secure : plain), asked),
      },
      4,
    );
    expect(await ask(pool)).toBe('here');
    await new Promise((resolve) => setImmediate(resolve));
    expect(await ask(pool)).toBe('here');
    expect(asked).toEqual([{ hostname: '127.0.0.1', port: 1 }]);
    expect(pool.stats()).toMatchObject({ connected: 1 });
    await pool.destroy(new Error('over'));
  });

  it('fails the call with what the connector says', async () => {
    const refused = Object.assign(new Error('the proxy says no'), { code: 'PROXY_REFUSED' });
    const pool = open({ secure: false, host: 'x', hostname: 'x', port: 1, connect: () => Promise.reject(refused) }, 1);
    await expect(ask(pool)).rejects.toBe(refused);
    await expect(ask(pool)).rejects.toBe(refused);
    await pool.destroy(new Error('over'));
  });

  it('stops an opening that nobody waits for any more, and closes what comes of it', async () => {
    let signal: AbortSignal | undefined;
    let finish: (socket: Socket) => void = () => undefined;
    const connector: Connector = (_target, given) => {
      signal = given;
      return new Promise((resolve) => {
        finish = resolve;
      });
    };
    const pool = open({ secure: false, host: 'x', hostname: 'x', port: 1, connect: connector }, 1);
    const failed = ask(pool).catch((error: Error) => error.message);
    await new Promise((resolve) => setImmediate(resolve));
    await pool.destroy(new Error('shutting down'));
    expect(await failed).toBe('shutting down');
    expect(signal?.aborted).toBe(true);
    const late = connect(portOf(plain), '127.0.0.1');
    await once(late, 'connect');
    finish(late);
    await once(late, 'close');
  });
});
