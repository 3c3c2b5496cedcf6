/** What operators read in the log: failures of providers as warnings, and a line per request where it is asked for. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FakeVendor, faults, startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, TEST_KEY, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';

const PROMPT = 'the recipe of our secret sauce is basil';
let vendor: FakeVendor;
let gateway: TestGateway;

beforeAll(async () => {
  vendor = await startFakeVendor();
  gateway = await startGateway({ vendor, env: { DARGAH_ACCESS_LOG: 'on' } });
});
afterAll(async () => {
  await gateway.stop();
  await vendor.close();
});
beforeEach(() => {
  vendor.reset();
  gateway.log.lines.length = 0;
});

const ask = (more: object = {}) =>
  gateway.chat({ model: 'mock/chat', messages: [{ role: 'user', content: PROMPT }], ...more });
const linesOf = (message: string) => gateway.log.lines.filter((line) => line.message === message);
/** They are written behind the answers; one that came late would be counted by the next test. */
const answeredLines = (count: number) => eventually(() => expect(linesOf('answered')).toHaveLength(count));

describe('the log', () => {
  it('warns of a provider that fails: which one, with what status, and why', async () => {
    vendor.always(faults.failWith(503, 'no capacity left in region'));
    expect((await ask()).status).toBe(502);
    await answeredLines(1);
    const [line] = linesOf('a provider failed');
    expect(line?.level).toBe('warn');
    expect(line?.text).toContain("provider: 'chat-a'");
    expect(line?.text).toContain('status: 503');
    expect(line?.text).toContain("cause: 'no capacity left in region'");
  });

  it('does not warn of what a client did wrong', async () => {
    vendor.always(faults.failWith(400, 'temperature must be below 2'));
    expect((await ask()).status).toBe(400);
    await answeredLines(1);
    expect(linesOf('a provider failed')).toEqual([]);
  });

  it('has one line for a request, whole or streamed, answered or refused', async () => {
    for (const [reply, status] of [
      [await ask(), 200],
      [await ask({ stream: true }), 200],
      [await ask({ model: 'no/such' }), 404],
    ] as const) {
      await reply.text();
      const id = reply.headers.get('x-svc-request-id');
      const line = await eventually(() => {
        const own = linesOf('answered').filter(({ text }) => text.includes(`'${id}'`));
        expect(own).toHaveLength(1);
        return own[0];
      });
      expect(line?.text).toContain(`status: ${status}`);
      expect(line?.text).toContain("account: 'acme'");
    }
    expect(linesOf('answered')).toHaveLength(3);
  });

  it('has one for a page too, without its query and parameters', async () => {
    await gateway.fetch('/api/v1/requests/req_of_somebody?token=swordfish');
    await gateway.fetch('/healthz?token=swordfish');
    await answeredLines(2);
    expect(linesOf('answered')[1]?.text).toContain("route: '/healthz'");
    expect(JSON.stringify(linesOf('answered'))).not.toMatch(/swordfish|req_of_somebody/);
  });

  it('has neither prompts nor keys in any line, whatever the provider says', async () => {
    vendor.always(faults.failWith(500, `cannot handle "${PROMPT}" of up-chat-a-secret`));
    await (await ask()).text();
    await (await ask({ temperature: 'hot' })).text();
    await gateway.fetch('/api/v1/key', { key: 'dg-wrong-key-of-somebody' });
    await answeredLines(3);
    const all = JSON.stringify(gateway.log.lines);
    for (const secret of ['secret sauce', 'up-chat-a-secret', TEST_KEY, 'dg-wrong-key-of-somebody'])
      expect(all).not.toContain(secret);
  });
});

it('has no line per request when nobody asked for one', async () => {
  const quiet = await startGateway({ vendor });
  await (await quiet.chat({ model: 'mock/chat', messages: [{ role: 'user', content: 'hi' }] })).text();
  expect(quiet.log.lines.filter(({ message }) => message === 'answered')).toEqual([]);
  await quiet.stop();
});
