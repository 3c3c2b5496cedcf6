/** What a caller may ask for in `svc.routing`, what is carried to providers, and what is not. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, type Behaviour, faults, startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { micro, receiptOf } from './receipts.ts';
import { hello, providerOf, routesConfig } from './routes-config.ts';
import { type ShiftedClock, shiftedClock } from './shifted-clock.ts';

let gateway: TestGateway;
let clock: ShiftedClock;

beforeAll(async () => {
  clock = shiftedClock();
  const vendor = await startFakeVendor();
  gateway = await startGateway({ vendor, clock, config: routesConfig(vendor) });
}, 120_000);
afterAll(async () => {
  await gateway?.stop();
  await gateway?.vendor.close();
});
beforeEach(() => {
  clock.forward(20 * 60_000);
  gateway.vendor.reset();
});

function down(...providers: string[]): void {
  gateway.vendor.choose((request) => (providers.includes(providerOf(request)) ? faults.failWith(503) : answer('yes')));
}

const wish = (routing: object, model = 'r/three', init: object = {}) =>
  hello(gateway, model, { svc: { routing } }, init);

describe('svc.routing', () => {
  it.each([
    ['nothing', {}, ['p1']],
    ['only', { only: ['p3'] }, ['p3']],
    ['ignore', { ignore: ['p1'] }, ['p2']],
    ['order', { order: ['p3', 'p1'] }, ['p3']],
    ['sort by price', { sort: 'price' }, ['p2']],
    ['a price above the model’s', { max_price: { input: 15_000, output: 60_000 } }, ['p1']],
  ])('%s', async (_name, routing, asked) => {
    const seen = await wish(routing);
    expect(seen.status).toBe(200);
    expect(seen.asked).toEqual(asked);
  });

  it('order falls back to the routes nobody named', async () => {
    down('p3', 'p2');
    expect((await wish({ order: ['p3', 'p2'] })).asked).toEqual(['p3', 'p2', 'p1']);
  });

  it('only does not fall back to others', async () => {
    down('p3');
    const seen = await wish({ only: ['p3'] });
    expect(seen.status).toBe(502);
    expect(seen.asked).toEqual(['p3']);
  });

  it('sort by latency prefers the route that answered first', async () => {
    for (const only of ['p1', 'p2', 'p3']) {
      gateway.vendor.always((wire) => {
        clock.forward(only === 'p2' ? 1 : 500);
        return answer('yes')(wire);
      });
      for (let i = 0; i < 9; i++) await wish({ only: [only] });
    }
    expect((await wish({ sort: 'latency' })).asked).toEqual(['p2']);
  });

  it.each([
    ['a price below the model’s', { max_price: { output: 59_999 } }],
    ['an unknown provider', { only: ['nobody'] }],
    ['everything ignored', { ignore: ['p1', 'p2', 'p3'] }],
  ])('%s: no route is left, and that is the caller’s to mend', async (_name, routing) => {
    const seen = await wish(routing);
    expect(seen.status).toBe(400);
    expect(seen.body.error).toMatchObject({ code: 'invalid_request', param: 'svc.routing' });
    expect(seen.asked).toEqual([]);
  });

  it('a fallback model answers under its own name and price when the first has no route left', async () => {
    const down = faults.failWith(503);
    gateway.vendor.next(down, down, down, answer({ text: 'second', usage: { input: 10, output: 5 } }));
    const seen = await wish({ models: ['r/dear'] });
    expect(seen.status).toBe(200);
    expect(seen.asked).toEqual(['p1', 'p2', 'p3', 'p3']);
    expect(seen.body.model).toBe('r/dear');
    const receipt = await receiptOf(gateway, seen.requestId);
    expect(receipt.model).toBe('r/dear');
    expect(micro(receipt.cost)).toBe(10n * 150_000n + 5n * 600_000n);
    expect(receipt.plan.join('\n')).toContain('fallback model r/dear');
  });

  it('a fallback model stands under the key’s rules', async () => {
    const seen = await wish({ models: ['r/forbidden'] }, 'r/three', { key: 'dg-test-limited' });
    expect(seen.status).toBe(403);
    expect(seen.body.error?.code).toBe('model_not_allowed');
    expect(seen.asked).toEqual([]);
  });
});

describe('hops', () => {
  it('are counted on the way out', async () => {
    await hello(gateway, 'r/three');
    await hello(gateway, 'r/three', {}, { headers: { 'x-svc-hop': '2' } });
    expect(gateway.vendor.requests.map(({ headers }) => headers['x-svc-hop'])).toEqual(['1', '3']);
  });

  it('end a request that runs in circles', async () => {
    const seen = await hello(gateway, 'r/three', {}, { headers: { 'x-svc-hop': '4' } });
    expect(seen.status).toBe(400);
    expect(seen.body.error?.param).toBe('x-svc-hop');
    expect(seen.asked).toEqual([]);
  });
});

describe('addresses of pictures, for a provider that fetches none', () => {
  const PICTURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);
  const servePicture: Behaviour = (wire) => {
    wire.head(200, { 'content-type': 'image/png' });
    wire.end(PICTURE);
  };
  // The messages protocol, since the chat protocol takes no address without TLS and the fake vendor has none.
  const look = async (url: string) => {
    const content = [
      { type: 'text', text: 'What is it?' },
      { type: 'image', source: { type: 'url', url } },
    ];
    const response = await gateway.fetch('/api/v1/messages', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'r/google', max_tokens: 50, messages: [{ role: 'user', content }] }),
    });
    const body = (await response.json()) as { error?: { type: string } };
    return { status: response.status, body, requestId: response.headers.get('x-svc-request-id') ?? '' };
  };

  it('are fetched once and put in', async () => {
    gateway.vendor.choose(({ path }) => (path.startsWith('/picture') ? servePicture : answer('A dot.')));
    const seen = await look(`${gateway.vendor.origin}/picture.png`);
    expect(seen.status).toBe(200);
    const [fetched, asked] = gateway.vendor.requests;
    expect(fetched?.method).toBe('GET');
    expect(fetched?.headers['authorization']).toBeUndefined();
    expect(JSON.stringify(asked?.body)).toContain(
      JSON.stringify({ mimeType: 'image/png', data: PICTURE.toString('base64') }),
    );
  });

  it.each([
    ['inside our own network', () => 'https://169.254.169.254/latest/meta-data'],
    ['that is not there', () => `${gateway.vendor.origin}/nothing.png`],
    ['without TLS', () => 'http://example.com/picture.png'],
  ])('%s: refused, nobody is asked and nothing charged', async (_name, url) => {
    gateway.vendor.choose(({ path }) => (path.includes('nothing') ? faults.failWith(404) : answer('A dot.')));
    const seen = await look(url());
    expect(seen.status).toBe(400);
    expect(seen.body.error?.type).toBe('invalid_request_error');
    expect(gateway.vendor.requests.map(providerOf)).not.toContain('google');
    expect(await receiptOf(gateway, seen.requestId)).toMatchObject({ state: 'failed', cost: '0' });
  });
});
