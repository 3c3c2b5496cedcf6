import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { createTransport, type TransportError } from '../../../src/platform/upstream/index.ts';
import { eventually } from '../../services/eventually.ts';
import { CLIENTS, chatCall, readAll } from './call.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

type Behaviour = (socket: Socket, request: string) => void;

describe.each(CLIENTS)('the client: %s', (client) => {
  /** A provider that says exactly what the test wants, byte by byte. */
  let server: Server;
  let origin: string;
  let sockets: Socket[];
  let requests: string[];
  let behave: Behaviour;
  let transport: ReturnType<typeof createTransport>;

  beforeEach(async () => {
    sockets = [];
    requests = [];
    behave = (socket) => socket.write(OK);
    server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        const request = bytes.toString();
        requests.push(request);
        behave(socket, request);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    transport = createTransport({ clock: systemClock, client, maxConnections: 2 });
  });
  afterEach(async () => {
    await transport.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  const ask = async (changes: Parameters<typeof chatCall>[1] = {}) =>
    readAll(await transport.send(chatCall(origin, changes)));
  const failureOf = async (work: Promise<unknown>) => {
    const error = await work.then(() => undefined).catch((thrown: TransportError) => thrown);
    return error?.failure;
  };

  describe('what is sent', () => {
    it('is one head and a body of known length', async () => {
      await ask({ body: '{"text":"سلام"}', headers: { 'x-a': 'b' } });
      expect(requests.join('')).toBe(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: ${origin.slice(7)}\r\nconnection: keep-alive\r\nx-a: b\r\ncontent-length: 19\r\n\r\n{"text":"سلام"}`,
      );
    });

    it('has no body where the method has none', async () => {
      const { body: _, ...call } = chatCall(origin, { headers: {} });
      await readAll(await transport.send({ ...call, method: 'GET' }));
      expect(requests.join('')).toMatch(/^GET [^\r]+\r\nhost: [^\r]+\r\nconnection: keep-alive\r\n\r\n$/);
    });

    it.each([{ 'bad name': 'x' }, { 'x-a': 'line\r\nx-b: c' }, { 'x-a': 'ملک' }])(
      'never is a header that would be read as something else: %j',
      async (headers) => {
        expect(await failureOf(ask({ headers: headers as Record<string, string> }))).toMatchObject({
          code: 'invalid_call',
        });
        expect(requests).toEqual([]);
      },
    );

    it('goes nowhere when the address is not one of HTTP, and names no password of it', async () => {
      for (const address of ['ftp://127.0.0.1', 'not an address', 'http://']) {
        expect(await failureOf(transport.send(chatCall(address)))).toMatchObject({ code: 'invalid_call' });
      }
      await readAll(await transport.send(chatCall(origin.replace('//', '//name:hidden-word@'), { pool: 'named' })));
      expect(requests.join('')).not.toContain('hidden-word');
    });

    it('is in pieces where the body is, with the length of each or of all', async () => {
      async function* pieces(...texts: string[]) {
        for (const text of texts) yield Buffer.from(text);
      }
      // Answers when the whole body is there: with the last chunk, or with the announced five bytes.
      behave = (socket) => {
        if (/0\r\n\r\n$|\r\n\r\nabcde$/.test(requests.join(''))) socket.write(OK);
      };
      await ask({ body: pieces('ab', '', 'cde') });
      expect(requests.join('')).toMatch(/transfer-encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n$/);
      requests = [];
      await ask({ body: pieces('ab', 'cde'), headers: { 'content-length': '5' } });
      expect(requests.join('')).toMatch(/keep-alive\r\ncontent-length: 5\r\n\r\nabcde$/);
      requests = [];
      expect(await failureOf(ask({ body: pieces('ab'), headers: { 'content-length': '5' } }))).toMatchObject({
        kind: 'connect',
      });
    });

    it('fails the call when a body that comes in pieces breaks', async () => {
      async function* broken() {
        yield Buffer.from('half');
        throw new Error('the file is gone');
      }
      behave = () => undefined;
      expect(await failureOf(ask({ body: broken() }))).toMatchObject({ kind: 'connect' });
    });
  });

  describe('a connection', () => {
    it('carries one call after the other', async () => {
      for (let i = 0; i < 4; i++) expect(await ask()).toBe('ok');
      expect(sockets).toHaveLength(1);
    });

    it.each([
      ['the provider says that it closes', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok'],
      [
        'the provider would close before we could be sure',
        'HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 2\r\n\r\nok',
      ],
      ['more came than was asked for', `${OK}HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nstolen`],
    ])('is not used again when %s', async (_, bytes) => {
      behave = (socket) => socket.write(bytes);
      expect(await ask()).toBe('ok');
      expect(await ask()).toBe('ok');
      expect(sockets).toHaveLength(2);
    });

    it('is given up when the provider closes it between two calls, or speaks unasked', async () => {
      await ask();
      const [first] = sockets as [Socket];
      first.end();
      await eventually(() => expect(transport.stats().pools[0]?.connected).toBe(0));
      await ask();
      sockets[1]?.write(OK);
      await eventually(() => expect(transport.stats().pools[0]?.connected).toBe(0));
      expect(await ask()).toBe('ok');
      expect(sockets).toHaveLength(3);
    });

    it('ends a body that only its closing ends, and names one that it cuts', async () => {
      behave = (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nuntil here');
      expect(await ask()).toBe('until here');
      behave = (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\nuntil here');
      expect(await failureOf(ask())).toMatchObject({ kind: 'truncated', code: 'closed' });
      behave = (socket) => socket.end();
      expect(await failureOf(ask())).toMatchObject({ kind: 'connect', code: 'closed' });
    });

    it('names an answer that is not HTTP', async () => {
      behave = (socket) => socket.write('220 mail.example.com ESMTP\r\n\r\n');
      expect(await failureOf(ask())).toMatchObject({ kind: 'malformed', code: 'malformed_http' });
      behave = (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`);
      expect(await failureOf(ask())).toMatchObject({ kind: 'malformed', code: 'malformed_http' });
    });

    it('gives an answer that came before the whole body was sent, and is then closed', async () => {
      let stop: () => void = () => undefined;
      const stopped = new Promise<void>((resolve) => {
        stop = resolve;
      });
      async function* endless() {
        yield Buffer.from('first');
        await stopped;
        yield Buffer.from('second');
      }
      expect(await ask({ body: endless() })).toBe('ok');
      await eventually(() => expect(transport.stats().pools[0]?.connected).toBe(0));
      stop();
    });
  });

  describe('the connections of a provider', () => {
    it('are no more than allowed; calls wait in line and are served in order', async () => {
      const answered: number[] = [];
      await Promise.all(
        Array.from({ length: 8 }, async (_, i) => {
          expect(await ask()).toBe('ok');
          answered.push(i);
        }),
      );
      expect(sockets).toHaveLength(2);
      expect(answered).toHaveLength(8);
      expect(answered[0]).toBeLessThan(2);
      expect(answered.at(-1)).toBeGreaterThan(5);
    });

    it('are replaced for those in line when one breaks', async () => {
      let broken = 0;
      behave = (socket) => {
        if (broken++ < 2) socket.resetAndDestroy();
        else socket.write(OK);
      };
      const results = await Promise.allSettled(Array.from({ length: 6 }, () => ask()));
      expect(results.map(({ status }) => status).filter((status) => status === 'fulfilled')).toHaveLength(4);
    });

    it('a call that gave up in line is not sent', async () => {
      behave = () => undefined;
      const busy = [ask(), ask()].map(failureOf);
      await eventually(() => expect(requests).toHaveLength(2));
      const late = failureOf(ask({ connectMs: 30, text: 'late' }));
      expect(await late).toMatchObject({ code: 'connect_timeout' });
      behave = (socket) => socket.write(OK);
      for (const socket of sockets) socket.write(OK);
      await Promise.all(busy);
      expect(await ask()).toBe('ok');
      expect(requests.join('')).not.toContain('late');
    });

    it('fail with everything on them when the gateway stops', async () => {
      behave = () => undefined;
      const all = [ask(), ask(), ask()].map(failureOf);
      await eventually(() => expect(requests).toHaveLength(2));
      await transport.close();
      expect((await Promise.all(all)).map((failure) => failure?.code)).toEqual(['shutdown', 'shutdown', 'shutdown']);
    });
  });
});
