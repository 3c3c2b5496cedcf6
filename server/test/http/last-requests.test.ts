/** A server that stops: connections that the kernel already holds for it are answered, and kept ones are waited for. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, Server as TcpServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LastRequests } from '../../src/http/last-requests.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

const NOTHING = { size: 0, idle: () => Promise.resolve() };

describe('a server that stops listening', () => {
  let server: Server;
  let port: number;
  let last: LastRequests;
  beforeEach(async () => {
    server = createServer((_request, reply) => {
      last.asked();
      reply.end('answered');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
    last = new LastRequests(server);
  });
  afterEach(() => server.closeAllConnections());

  /** In the kernel's hands, request included, before the server's event loop has looked. */
  async function heldByKernel(): Promise<Promise<string>[]> {
    const clients = Array.from({ length: 5 }, () => connect(port, '127.0.0.1'));
    for (const client of clients) client.write(REQUEST);
    // The system calls are made at the end of this tick, in which the event loop does not turn.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    return clients.map(async (client) => {
      let text = '';
      client.on('data', (piece) => {
        text += piece.toString();
      });
      client.on('error', (error) => {
        text += error.message;
      });
      await new Promise((resolve) => client.on('close', resolve));
      return text;
    });
  }

  it('answers those whose connection the kernel holds for it', async () => {
    const answers = await heldByKernel();
    await last.stopListening();
    for (const answer of await Promise.all(answers)) expect(answer).toContain('answered');
    const late = connect(port, '127.0.0.1');
    const [refused] = (await once(late, 'error')) as [NodeJS.ErrnoException];
    expect(refused.code).toBe('ECONNREFUSED');
  });

  it('would have reset them without waiting for a quiet turn', async () => {
    const answers = await heldByKernel();
    TcpServer.prototype.close.call(server);
    for (const answer of await Promise.all(answers)) expect(answer).not.toContain('answered');
  });

  it('waits while kept connections are asked, and no longer than until the last is gone', async () => {
    const client = connect(port, '127.0.0.1');
    await once(client, 'connect');
    await last.stopListening();
    let isOver = false;
    const over = last.answered(NOTHING, 3_600_000).then(() => {
      isOver = true;
    });
    client.write(REQUEST.replace('close', 'keep-alive'));
    const [answer] = (await once(client, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
    expect(isOver).toBe(false);
    client.end();
    await over;
  });

  it('is over when nobody asks any more, though connections are kept', async () => {
    const client = connect(port, '127.0.0.1');
    await once(client, 'connect');
    await last.stopListening();
    await last.answered(NOTHING, 50);
    expect(client.destroyed).toBe(false);
    client.destroy();
  });

  it('waits anew when a stream is over, since its client goes on over the same connection', async () => {
    const client = connect(port, '127.0.0.1');
    await once(client, 'connect');
    await last.stopListening();
    const ends: (() => void)[] = [];
    const running = {
      size: 1,
      idle: () => (running.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => ends.push(resolve))),
    };
    let isOver = false;
    const over = last.answered(running, 50).then(() => {
      isOver = true;
    });
    // Nobody asked for long enough; only the stream is waited for.
    await vi.waitFor(() => expect(ends).toHaveLength(1));
    running.size = 0;
    ends[0]?.();
    await setImmediate();
    expect(isOver).toBe(false);
    client.write(REQUEST.replace('close', 'keep-alive'));
    const [answer] = (await once(client, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
    await over;
    client.destroy();
  });
});
