/** Many streams, a slow one, and a provider that dies among them. @process own @tier services */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { answer, faults, startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { ask } from './client-view.ts';
import { walletOf } from './receipts.ts';
import { providerOf, routesConfig } from './routes-config.ts';

let gateway: TestGateway;

beforeAll(async () => {
  const vendor = await startFakeVendor();
  gateway = await startGateway({ vendor, config: routesConfig(vendor) });
}, 120_000);
afterAll(async () => {
  await gateway?.stop();
  await gateway?.vendor.close();
});
beforeEach(() => gateway.vendor.reset());

const ABANDONED = 1_000;
const AT_ONCE = 50;
const STREAM = { model: 'r/three', stream: true, messages: [{ role: 'user', content: 'hello' }] };

it('a thousand abandoned streams leave no socket and no hold', async () => {
  gateway.vendor.always(async (wire) => {
    wire.head(200, { 'content-type': 'text/event-stream' });
    await wire.write(chunk('never'));
    await wire.request.ended;
  });
  for (let done = 0; done < ABANDONED; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, abandonOne));
  }
  await eventually(() => {
    expect(gateway.vendor.requests).toHaveLength(ABANDONED);
    expect(gateway.vendor.requests.filter(({ ending }) => ending !== 'aborted')).toEqual([]);
    expect(gateway.vendor.openSockets).toBe(0);
  });
  await eventually(async () => {
    expect((await walletOf(gateway)).held).toBe('0');
    expect(await gauge('dargah_requests_running')).toBe(0);
    // The one that asks for the metrics.
    expect(await connections()).toBeLessThanOrEqual(2);
  });
}, 120_000);

it('a slow reader of 50 MB holds the provider back instead of filling memory', async () => {
  const piece = chunk('x'.repeat(64 * 1024));
  const pieces = Math.ceil((50 * 1024 * 1024) / piece.length);
  gateway.vendor.always(async (wire) => {
    wire.head(200, { 'content-type': 'text/event-stream' });
    for (let i = 0; i < pieces; i++) await wire.write(piece);
    await wire.write(chunk('', 'stop'));
    wire.end('data: [DONE]\n\n');
  });
  const before = await heldBytes();
  // A key of its own: so many tokens use up a minute's allowance.
  const { response } = await openStream('dg-test-limited');
  response.pause();
  const upstream = await gateway.vendor.received(0);
  const stoppedAt = await untilStill(() => upstream.bytesSent);
  const held = (await heldBytes()) - before;
  expect(stoppedAt).toBeLessThan(20 * 1024 * 1024);
  expect(held).toBeLessThan(16 * 1024 * 1024);
  let last = '';
  let bytes = 0;
  for await (const data of response) {
    bytes += (data as Buffer).length;
    last = (last + (data as Buffer).toString('latin1')).slice(-200);
  }
  expect(bytes).toBeGreaterThan(50 * 1024 * 1024);
  expect(last.trimEnd().endsWith('data: [DONE]')).toBe(true);
  expect(await upstream.ended).toBe('finished');
}, 120_000);

it('a provider that dies under load: no client sees an error, and the dead one is soon left alone', async () => {
  let dead = false;
  let askedDead = 0;
  gateway.vendor.choose((request) => {
    if (providerOf(request) !== 'p1' || !dead) return answer({ text: 'fine' });
    askedDead++;
    return askedDead % 2 === 0 ? faults.resetBeforeHeaders() : faults.failWith(500);
  });
  const workers = 20;
  const each = 40;
  const wrong: string[] = [];
  let answered = 0;
  const work = async (worker: number) => {
    for (let i = 0; i < each; i++) {
      const seen = await ask(gateway, 'chat', 'r/three', (worker + i) % 2 === 0);
      if (seen.status !== 200 || seen.text !== 'fine' || !seen.complete || seen.error) wrong.push(seen.raw);
      if (++answered === (workers * each) / 4) dead = true;
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  expect(wrong).toEqual([]);
  expect(answered).toBe(workers * each);
  // Three failures open the circuit; what was on its way in that moment, and a probe every few seconds, come on top.
  expect(askedDead).toBeGreaterThan(0);
  expect(askedDead).toBeLessThan(workers * 2 + 20);
}, 120_000);

function chunk(content: string, finish: string | null = null): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
}

async function openStream(key = gateway.key): Promise<{ sent: ClientRequest; response: IncomingMessage }> {
  const body = JSON.stringify(STREAM);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      `${gateway.baseUrl}/chat/completions`,
      { method: 'POST', headers, agent: false },
      (response) => resolve({ sent, response }),
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

async function abandonOne(): Promise<void> {
  const { sent, response } = await openStream();
  expect(response.statusCode).toBe(200);
  response.on('error', () => undefined);
  await new Promise((resolve) => response.once('data', resolve));
  sent.destroy();
}

async function gauge(name: string): Promise<number> {
  const text = await (await gateway.admin('GET', '/metrics')).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.split(' ').at(-1));
}

function connections(): Promise<number> {
  return new Promise((resolve, reject) => {
    gateway.service.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

/** Reads until the value has not changed for a while: the writer waits. */
async function untilStill(read: () => number): Promise<number> {
  let last = -1;
  for (let same = 0; same < 20; ) {
    await new Promise((resolve) => setTimeout(resolve, 25));
    same = read() === last && last > 0 ? same + 1 : 0;
    last = read();
  }
  return last;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What is really held stays held however often the collector runs; freed buffers go after a few turns. */
async function heldBytes(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 10; attempt++) {
    collectGarbage();
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    least = Math.min(least, arrayBuffers + heapUsed);
  }
  return least;
}
