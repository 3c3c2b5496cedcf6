/** How routes are left and come back: cool-downs, dead credentials, breakers, spreading, bounds, hedging, the deadline. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, createGate, faults, startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { customerReceiptOf, micro, receiptOf } from './receipts.ts';
import { hello, providerOf, routesConfig, secretOf } from './routes-config.ts';
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
beforeEach(async () => {
  gateway.vendor.reset();
  // After every cool-down one good answer closes each circuit again.
  clock.forward(20 * 60_000);
  for (const only of ['p1', 'p2', 'p3']) await hello(gateway, 'r/three', { svc: { routing: { only: [only] } } });
  gateway.vendor.reset();
});

async function openCircuits(): Promise<Record<string, number>> {
  const text = await (await gateway.admin('GET', '/metrics')).text();
  const lines = text.split('\n').filter((line) => line.startsWith('dargah_route_open{'));
  return Object.fromEntries(lines.map((line) => [/target="([^"]+)"/.exec(line)?.[1], Number(line.split(' ').at(-1))]));
}

describe('leaving a route and coming back', () => {
  it('Retry-After is kept to, then the route is asked again', async () => {
    gateway.vendor.next(faults.rateLimited('200'));
    expect((await hello(gateway, 'r/three')).asked).toEqual(['p1', 'p2']);
    // Real time passes too; on a busy machine a request takes seconds.
    clock.forward(100_000);
    const during = await hello(gateway, 'r/three');
    expect(during.asked).toEqual(['p2']);
    expect((await receiptOf(gateway, during.requestId)).plan.join('\n')).toMatch(/p1.*circuit open.*rate-limited/);
    clock.forward(150_000);
    expect((await hello(gateway, 'r/three')).asked).toEqual(['p1']);
  });

  it('three failures in a row open the circuit; one probe alone tests it; its success closes it', () =>
    clock.holding(async () => {
      gateway.vendor.choose((request) => (providerOf(request) === 'p1' ? faults.failWith(500) : answer('yes')));
      for (let i = 0; i < 3; i++) expect((await hello(gateway, 'r/three')).asked).toEqual(['p1', 'p2']);
      for (let i = 0; i < 5; i++) expect((await hello(gateway, 'r/three')).asked).toEqual(['p2']);
      expect((await openCircuits())['p1:up-p1']).toBe(1);

      clock.forward(10_000);
      gateway.vendor.reset();
      const gate = createGate();
      gateway.vendor.choose((request) =>
        providerOf(request) === 'p1' ? faults.stallBeforeHeaders(gate, { text: 'well again' }) : answer('yes'),
      );
      const probe = hello(gateway, 'r/three');
      await gate.reached;
      expect((await openCircuits())['p1:up-p1']).toBe(0.5);
      const beside = await Promise.all([1, 2, 3, 4].map(() => hello(gateway, 'r/three')));
      expect(gateway.vendor.requests.filter((request) => providerOf(request) === 'p1')).toHaveLength(1);
      expect(beside.every(({ status }) => status === 200)).toBe(true);
      gate.open();
      expect((await probe).body.choices[0]?.message.content).toBe('well again');
      expect((await openCircuits())['p1:up-p1']).toBe(0);
      expect((await hello(gateway, 'r/three')).asked.at(-1)).toBe('p1');
    }));

  it('a dead credential is skipped by every model of its provider, and tried again much later', async () => {
    gateway.vendor.choose((request) => (secretOf(request) === 'secret-of-a' ? faults.failWith(401) : answer('yes')));
    const seen = [];
    for (let i = 0; i < 30; i++) seen.push(await hello(gateway, 'r/keys'));
    expect(seen.every(({ status }) => status === 200)).toBe(true);
    expect(gateway.vendor.requests.filter((request) => secretOf(request) === 'secret-of-a')).toHaveLength(1);
    expect(gateway.vendor.requests.some((request) => secretOf(request) === 'secret-of-b')).toBe(true);
    clock.forward(13 * 60_000);
    gateway.vendor.reset();
    for (let i = 0; i < 30; i++) await hello(gateway, 'r/keys');
    expect(gateway.vendor.requests.some((request) => secretOf(request) === 'secret-of-a')).toBe(true);
  });
});

describe('spreading', () => {
  it('short requests go over both credentials; a long conversation stays with the one that holds its cache', async () => {
    for (let i = 0; i < 30; i++) await hello(gateway, 'r/keys');
    expect(new Set(gateway.vendor.requests.map(secretOf))).toEqual(new Set(['secret-of-a', 'secret-of-b']));
    for (const topic of ['poetry', 'physics', 'cooking']) {
      gateway.vendor.reset();
      const messages = [{ role: 'user', content: `${topic} ${'and so on '.repeat(300)}` }];
      for (let turn = 0; turn < 8; turn++) {
        await hello(gateway, 'r/keys', { messages });
        messages.push({ role: 'assistant', content: 'Yes.' }, { role: 'user', content: `More, ${turn}.` });
        clock.forward(4 * 60_000);
      }
      expect(new Set(gateway.vendor.requests.map(secretOf)).size).toBe(1);
    }
  });

  it('a full provider makes one wait and sends the next elsewhere', async () => {
    const gate = createGate();
    gateway.vendor.choose((request) =>
      providerOf(request) === 'narrow' ? faults.stallBeforeHeaders(gate, { text: 'narrow' }) : answer('elsewhere'),
    );
    const first = hello(gateway, 'r/narrow');
    await gate.reached;
    const second = hello(gateway, 'r/narrow');
    await eventually(async () =>
      expect((await hello(gateway, 'r/narrow')).body.choices[0]?.message.content).toBe('elsewhere'),
    );
    gate.open();
    expect((await first).body.choices[0]?.message.content).toBe('narrow');
    expect((await second).status).toBe(200);
  });

  it('when there is only one provider and it is full, the client is told to come back', async () => {
    const gate = createGate();
    gateway.vendor.always(faults.stallBeforeHeaders(gate));
    const running = hello(gateway, 'r/only-narrow');
    await gate.reached;
    const timer = setInterval(() => clock.forward(500), 20);
    const seen = await hello(gateway, 'r/only-narrow');
    clearInterval(timer);
    gate.open();
    await running;
    expect(seen.status).toBe(503);
    expect(seen.body.error?.code).toBe('overloaded');
    expect(seen.headers.get('retry-after')).toBe('1');
    expect(await receiptOf(gateway, seen.requestId)).toMatchObject({ cost: '0', attempts: [{ outcome: 'skipped' }] });
  });
});

describe.each([true, false])('hedging, stream: %s', (stream) => {
  it('a second route answers for a slow one; the customer pays once, the operator sees the loser’s cost', async () => {
    for (let i = 0; i < 40; i++) {
      const response = await gateway.chat({
        model: 'r/hedged',
        stream,
        messages: [{ role: 'user', content: 'quick' }],
      });
      await response.text();
    }
    const gate = createGate();
    gateway.vendor.reset();
    gateway.vendor.choose((request) =>
      providerOf(request) === 'p1'
        ? faults.stallBeforeHeaders(gate)
        : answer({ text: 'second', pieces: 1, usage: { input: 10, output: 5 } }),
    );
    const response = await gateway.chat({ model: 'r/hedged', stream, messages: [{ role: 'user', content: 'slow' }] });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('second');
    const [loser] = gateway.vendor.requests.filter((request) => providerOf(request) === 'p1');
    expect(await loser?.ended).toBe('aborted');
    gate.open();
    const requestId = response.headers.get('x-svc-request-id') ?? '';
    const receipt = await receiptOf(gateway, requestId);
    expect(micro(receipt.cost)).toBe(10n * 15_000n + 5n * 60_000n);
    expect(receipt.attempts.map(({ outcome }) => outcome)).toEqual(['hedge-lost', 'ok']);
    expect(receipt.plan.at(-1)).toContain('hedge');
    expect(micro(receipt.attempts[0]?.provider_cost ?? '0') > 0n).toBe(true);
    const { attempts } = await customerReceiptOf(gateway, requestId);
    expect(attempts[0]).not.toHaveProperty('provider_cost');
  });
});

it('the deadline of the request holds across attempts', async () => {
  const gate = createGate();
  gateway.vendor.always(faults.stallBeforeHeaders(gate));
  const asking = hello(gateway, 'r/three');
  // Time runs only while a provider hangs, not while the gateway is on its way to the next one.
  for (const index of [0, 1]) {
    const { ended } = await gateway.vendor.received(index);
    const timer = setInterval(() => clock.forward(5_000), 20);
    await ended;
    clearInterval(timer);
  }
  const seen = await asking;
  gate.open();
  expect(seen.status).toBe(504);
  expect(seen.body.error?.code).toBe('upstream_timeout');
  expect(seen.asked).toEqual(['p1', 'p2']);
});
