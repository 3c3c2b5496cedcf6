import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { createTransport, TransportError } from '../../../src/platform/upstream/index.ts';
import { eventually } from '../../services/eventually.ts';
import { CLIENTS, chatCall, readAll } from './call.ts';
import { TEST_CERTIFICATE, TEST_KEY } from './test-certificate.ts';

describe.each(CLIENTS)('the client: %s', (client) => {
  let server: Http2SecureServer;
  let origin: string;
  const sockets: TLSSocket[] = [];
  const transport = createTransport({ clock: systemClock, client });
  const folder = mkdtempSync(join(tmpdir(), 'dargah-ca-'));
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, TEST_CERTIFICATE);
  const egress = { key: 'with-ca', ways: undefined, caFile, sourceAddress: undefined };
  /** To a provider whose certificates the operator named. */
  const trustingCall = () => chatCall(origin, { egress });

  /** `/v1/echo/<n>` sends the request's body back n times, in pieces; `/v1/hang` begins a stream and falls silent. */
  beforeAll(async () => {
    server = createSecureServer({ key: TEST_KEY, cert: TEST_CERTIFICATE, allowHTTP1: true }, (request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const body = Buffer.concat(pieces);
        response.writeHead(200, { 'content-type': 'text/event-stream', 'x-version': request.httpVersion });
        response.write('data: 1\n\n');
        if (request.url === '/v1/hang') return;
        let left = Number(/\/echo\/(\d+)/.exec(request.url)?.[1] ?? 1);
        const next = () => {
          if (left-- <= 0) return void response.end();
          response.write(body);
          setImmediate(next);
        };
        next();
      });
    });
    server.on('secureConnection', (socket: TLSSocket) => sockets.push(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await transport.close();
    server.close();
    rmSync(folder, { recursive: true });
  });

  it('speaks HTTP/1.1 where HTTP/2 is offered too, and keeps its connection', async () => {
    for (let i = 0; i < 5; i++) {
      const reply = await transport.send({ ...trustingCall(), body: `data: ${i}\n\n` });
      expect(reply.status).toBe(200);
      expect(reply.header('x-version')).toBe('1.1');
      expect(await readAll(reply)).toBe(`data: 1\n\ndata: ${i}\n\n`);
    }
    expect(sockets).toHaveLength(1);
  });

  it('an abort closes the connection, and the next handshake resumes the session', async () => {
    const hanging = await transport.send({ ...trustingCall(), url: `${origin}/v1/hang` });
    expect(Buffer.from((await hanging.read()) ?? '').toString()).toBe('data: 1\n\n');
    const [socket] = sockets.slice(-1) as [TLSSocket];
    const closed = once(socket, 'close');
    hanging.abort('client gone');
    await expect(hanging.read()).rejects.toBeInstanceOf(TransportError);
    await closed;
    await readAll(await transport.send(trustingCall()));
    await eventually(() => expect(sockets.at(-1)?.isSessionReused()).toBe(true));
  });

  it('many connections at once never see each other bytes', async () => {
    const bodies = Array.from({ length: 60 }, (_, i) => `${i}:`.repeat(200 + i * 97));
    const answers = await Promise.all(
      bodies.map(async (body) =>
        readAll(await transport.send({ ...trustingCall(), url: `${origin}/v1/echo/9`, body })),
      ),
    );
    for (const [i, answer] of answers.entries()) expect(answer === `data: 1\n\n${bodies[i]?.repeat(9)}`).toBe(true);
  });

  it('names a certificate that is not trusted', async () => {
    const strict = createTransport({ clock: systemClock, client });
    const failed = strict.send(chatCall(origin)).catch((error: TransportError) => error.failure);
    expect(await failed).toMatchObject({ kind: 'connect', code: 'tls' });
    await strict.close();
  });
});
