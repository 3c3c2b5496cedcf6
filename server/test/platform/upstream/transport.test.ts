import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { Cancellation, createTransport, TransportError } from '../../../src/platform/upstream/index.ts';
import { answer, createGate, type FakeVendor, faults, startFakeVendor } from '../../fake-vendor/index.ts';
import { eventually } from '../../services/eventually.ts';
import { freePort } from '../../services/free-port.ts';
import { CLIENTS, chatCall, ManualClock, readAll } from './call.ts';

async function failureOf(work: unknown): Promise<TransportError> {
  try {
    await work;
  } catch (error) {
    expect(error).toBeInstanceOf(TransportError);
    return error as TransportError;
  }
  throw new Error('it did not fail');
}

describe.each(CLIENTS)('the client: %s', (client) => {
  let vendor: FakeVendor;
  const transport = createTransport({ clock: systemClock, client });

  beforeAll(async () => {
    vendor = await startFakeVendor();
  });
  afterEach(() => vendor.reset());
  afterAll(async () => {
    await transport.close();
    await vendor.close();
  });

  describe('a call and its reply', () => {
    it('sends headers and body and reads a whole answer', async () => {
      vendor.next(answer('Salam'));
      const reply = await transport.send(chatCall(vendor.origin));
      expect(reply.status).toBe(200);
      expect(reply.header('content-type')).toBe('application/json');
      expect(reply.headers['content-type']).toBe('application/json');
      expect(await reply.text(10_000)).toContain('"content":"Salam"');
      const [request] = vendor.requests;
      expect(request?.headers.authorization).toBe('Bearer sk-planted-secret');
      expect(request?.body['model']).toBe('m');
    });

    it('reads a stream to its end and keeps the socket', async () => {
      const before = vendor.socketsEverOpened;
      for (let i = 0; i < 5; i++) {
        const reply = await transport.send(chatCall(vendor.origin, { stream: true }));
        expect(await readAll(reply)).toMatch(/data: \[DONE\]\n\n$/);
      }
      expect(vendor.socketsEverOpened - before).toBeLessThanOrEqual(1);
    });

    it('streams a request body from an iterable', async () => {
      async function* parts() {
        yield Buffer.from('{"model":"m",');
        yield Buffer.from('"messages":[{"role":"user","content":"piecewise"}]}');
      }
      const reply = await transport.send(chatCall(vendor.origin, { body: parts() }));
      expect(await reply.text(10_000)).toContain('piecewise');
    });

    it('sends a body in pieces as one whole body', async () => {
      const pieces = ['{"model":"m","messages":[{"role":"user","content":', '"سلام"', '}]}'].map((text) =>
        Buffer.from(text),
      );
      const reply = await transport.send(chatCall(vendor.origin, { body: pieces }));
      expect(await reply.text(10_000)).toContain('سلام');
      const [request] = vendor.requests;
      expect(request?.headers['content-length']).toBe(String(Buffer.concat(pieces).length));
      expect(request?.headers['transfer-encoding']).toBeUndefined();
    });

    it('refuses a body over the limit and excerpts one without failing', async () => {
      vendor.next(answer('x'.repeat(5000)), answer('x'.repeat(5000)));
      const large = await transport.send(chatCall(vendor.origin));
      expect((await failureOf(large.text(1000))).failure).toMatchObject({ kind: 'malformed', code: 'too_large' });
      const excerpt = await (await transport.send(chatCall(vendor.origin))).excerpt(100);
      expect(excerpt).toHaveLength(100);
    });

    it('keeps the socket when a nearly finished stream is released', async () => {
      const gate = createGate();
      vendor.next(faults.stallAfter(3, gate));
      const reply = await transport.send(chatCall(vendor.origin, { stream: true }));
      await reply.read();
      const before = vendor.socketsEverOpened;
      await gate.reached;
      reply.release();
      gate.open();
      const request = await vendor.received(0);
      expect(await request.ended).toBe('finished');
      await eventually(() => expect(transport.stats().running).toBe(0));
      await (await transport.send(chatCall(vendor.origin))).text(10_000);
      expect(vendor.socketsEverOpened).toBe(before);
    });

    it('reads compressed answers nobody asked for', async () => {
      vendor.next((wire) => {
        wire.head(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
        wire.end(gzipSync('{"packed":true}'));
      });
      const reply = await transport.send(chatCall(vendor.origin));
      expect(reply.headers['content-encoding']).toBeUndefined();
      expect(await reply.text(1000)).toBe('{"packed":true}');
    });
  });

  describe('limits', () => {
    it.each([
      ['headers_timeout', faults.stallBeforeHeaders, { headersMs: 2000 }],
      ['first_event_timeout', faults.commentsUntil, { firstEventMs: 3000 }],
      ['idle_timeout', faults.stallAfterHeaders, { idleMs: 2000 }],
      ['deadline', faults.stallAfterHeaders, { deadlineAtMs: 1_003_000 }],
    ])('%s', async (code, fault, limits) => {
      const clock = new ManualClock();
      const timed = createTransport({ clock, client });
      const gate = createGate();
      vendor.next(fault(gate));
      const work = timed.send(chatCall(vendor.origin, { stream: true, connectMs: 600_000, ...limits })).then(readAll);
      const failed = failureOf(work);
      await gate.reached;
      const request = await vendor.received(0);
      clock.advance(1000);
      // Two sweeps must see the call waiting before an idle limit can be measured, so time moves until it is over.
      const mover = setInterval(() => clock.advance(1000), 60);
      const { failure } = await failed;
      clearInterval(mover);
      expect(failure).toMatchObject({ kind: 'timeout', code });
      expect(await request.ended).toBe('aborted');
      gate.open();
      await timed.close();
    });

    it('does not count the silence of our own reader as idle', async () => {
      const clock = new ManualClock();
      const timed = createTransport({ clock, client });
      const reply = await timed.send(chatCall(vendor.origin, { stream: true, idleMs: 10 }));
      clock.advance(60_000);
      expect(await readAll(reply)).toContain('[DONE]');
      await timed.close();
    });

    it('names a connection that does not come about', async () => {
      const clock = new ManualClock();
      const timed = createTransport({ clock, client, maxConnections: 1 });
      const gate = createGate();
      vendor.next(faults.stallBeforeHeaders(gate));
      const first = timed.send(chatCall(vendor.origin));
      await gate.reached;
      const second = failureOf(timed.send(chatCall(vendor.origin, { connectMs: 5000 })));
      clock.advance(5000);
      expect((await second).failure).toMatchObject({ kind: 'connect', code: 'connect_timeout' });
      gate.open();
      await (await first).text(10_000);
      expect(vendor.requests).toHaveLength(1);
      await timed.close();
    });
  });

  describe('failures are named and carry no secret', () => {
    it('refused', async () => {
      const port = await freePort();
      const error = await failureOf(transport.send(chatCall(`http://127.0.0.1:${port}`, { pool: 'closed' })));
      expect(error.failure).toMatchObject({ kind: 'connect', code: 'refused' });
      expect(error.message).toContain(`127.0.0.1:${port}`);
    });

    it('DNS', async () => {
      const error = await failureOf(transport.send(chatCall('http://no-such-host.invalid', { pool: 'nowhere' })));
      expect(error.failure).toMatchObject({ kind: 'connect', code: 'dns' });
    });

    it('TLS', async () => {
      const error = await failureOf(
        transport.send(chatCall(vendor.origin.replace('http:', 'https:'), { pool: 'not-tls' })),
      );
      expect(error.failure).toMatchObject({ kind: 'connect', code: 'tls' });
    });

    it('reset before the headers', async () => {
      vendor.next(faults.resetBeforeHeaders());
      const error = await failureOf(transport.send(chatCall(vendor.origin)));
      expect(error.failure.kind).toBe('connect');
      expect(error.failure.code).toMatch(/^(reset|closed)$/);
    });

    it.each(['reset', 'close'] as const)('cut inside the body by %s', async (how) => {
      vendor.next(faults.cutAfter(2, how));
      const reply = await transport.send(chatCall(vendor.origin, { stream: true }));
      const { failure, phase } = await failureOf(readAll(reply));
      expect(failure.kind).toBe('truncated');
      expect(phase).toBe('body');
    });

    it('a body shorter than announced', async () => {
      vendor.next(faults.cutAfter(1, 'close'));
      const reply = await transport.send(chatCall(vendor.origin));
      expect((await failureOf(reply.text(10_000))).failure.kind).toBe('truncated');
    });

    it('a credential that is not valid HTTP, without quoting it', async () => {
      const headers = { authorization: 'Bearer sk-planted\nsecret' };
      const error = await failureOf(transport.send(chatCall(vendor.origin, { headers })));
      expect(error.failure.code).toBe('invalid_call');
      expect(JSON.stringify([error.message, error.failure, error.stack])).not.toContain('planted');
    });
  });

  describe('aborts', () => {
    it('before the call, before the headers and inside the body', async () => {
      const early = new Cancellation();
      early.cancel('client gone');
      expect((await failureOf(transport.send(chatCall(vendor.origin, { cancellation: early })))).failure.code).toBe(
        'aborted',
      );

      const waiting = new Cancellation();
      const gate = createGate();
      vendor.next(faults.stallBeforeHeaders(gate), faults.stallAfter(2, gate));
      const failed = failureOf(transport.send(chatCall(vendor.origin, { cancellation: waiting })));
      await gate.reached;
      waiting.cancel('client gone');
      expect((await failed).failure).toMatchObject({ code: 'aborted' });
      expect(await (await vendor.received(0)).ended).toBe('aborted');

      const reply = await transport.send(chatCall(vendor.origin, { stream: true }));
      await reply.read();
      reply.abort('client gone');
      expect((await failureOf(readAll(reply))).failure.code).toBe('aborted');
      expect(await (await vendor.received(1)).ended).toBe('aborted');
      gate.open();
    });

    it('1,000 abandoned streams leave no socket and no running call', async () => {
      const own = createTransport({ clock: systemClock, client });
      await transport.close();
      await vendor.idle();
      const openedBefore = vendor.socketsEverOpened;
      const gate = createGate();
      vendor.always(faults.stallAfter(2, gate));
      for (let batch = 0; batch < 10; batch++) {
        const replies = await Promise.all(
          Array.from({ length: 100 }, () => own.send(chatCall(vendor.origin, { stream: true, pool: 'abandoned' }))),
        );
        await Promise.all(replies.map((reply) => reply.read()));
        for (const reply of replies) reply.abort('client gone');
      }
      expect(own.stats().running).toBe(0);
      await Promise.all(vendor.requests.map((request) => request.ended));
      expect(vendor.requests).toHaveLength(1000);
      expect(vendor.requests.every((request) => request.ending === 'aborted')).toBe(true);
      // Nobody closes this transport before looking: an abort must not open a fresh connection behind our back either.
      await vendor.idle();
      for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
      expect(vendor.openSockets).toBe(0);
      expect(vendor.socketsEverOpened - openedBefore).toBe(1000);
      expect(own.stats().pools[0]).toMatchObject({ connected: 0, running: 0, queued: 0 });
      gate.open();
      await own.close();
    });
  });
});
