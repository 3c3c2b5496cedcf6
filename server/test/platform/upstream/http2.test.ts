import { once } from 'node:events';
import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { createTransport, TransportError } from '../../../src/platform/upstream/index.ts';
import { chatCall, readAll } from './call.ts';
import { TEST_CERTIFICATE, TEST_KEY } from './test-certificate.ts';

let server: Http2SecureServer;
let origin: string;
let sessions = 0;
let streams: ServerHttp2Stream[] = [];
const transport = createTransport({ clock: systemClock, certificateAuthorities: [TEST_CERTIFICATE] });

beforeAll(async () => {
  server = createSecureServer({ key: TEST_KEY, cert: TEST_CERTIFICATE, allowHTTP1: true });
  server.on('session', () => sessions++);
  server.on('stream', (stream, headers) => {
    streams.push(stream);
    stream.on('error', () => undefined);
    stream.respond({ ':status': 200, 'content-type': 'text/event-stream', 'x-path': String(headers[':path']) });
    stream.write('data: 1\n\n');
    if (headers[':path'] !== '/v1/hang') stream.end('data: [DONE]\n\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await transport.close();
  server.close();
});

it('speaks HTTP/2 where it is offered, and an abort leaves the connection usable', async () => {
  const reply = await transport.send(chatCall(origin, { stream: true }));
  expect(reply.status).toBe(200);
  expect(reply.header('x-path')).toBe('/v1/chat/completions');
  expect(reply.headers['content-type']).toBe('text/event-stream');
  expect(await readAll(reply)).toBe('data: 1\n\ndata: [DONE]\n\n');
  for (let i = 0; i < 5; i++) {
    streams = [];
    const hanging = await transport.send({ ...chatCall(origin), url: `${origin}/v1/hang` });
    expect(Buffer.from((await hanging.read()) ?? '').toString()).toBe('data: 1\n\n');
    const [stream] = streams as [ServerHttp2Stream];
    const closed = once(stream, 'close');
    hanging.abort('client gone');
    await expect(hanging.read()).rejects.toBeInstanceOf(TransportError);
    await closed;
  }
  expect(sessions).toBe(1);
});

it('names a certificate that is not trusted', async () => {
  const strict = createTransport({ clock: systemClock });
  const failed = strict.send(chatCall(origin)).catch((error: TransportError) => error.failure);
  expect(await failed).toMatchObject({ kind: 'connect', code: 'tls' });
  await strict.close();
});
