/** Answers of the playground that outlive their connection: continued and stopped by whoever asked, and by nobody else. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { answer, createGate, faults } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { Browser } from './client.ts';

let gateway: TestGateway;
let sara: Browser;
let omid: Browser;
let accountId: string;

beforeAll(async () => {
  gateway = await startGateway();
  sara = new Browser(gateway);
  const { body } = await sara.signIn('09121700011', { name: 'Sara' });
  accountId = body.accounts[0]?.id ?? '';
  const credit = { id: 'playground-streams', kind: 'top-up', amount: 1_000 };
  await gateway.admin('POST', `/api/admin/accounts/${accountId}/transfers`, credit);
  const asked = { to: 'omid@example.com', role: 'developer' };
  const { invitation } = (await sara.post<{ invitation: string }>('/invitations', asked)).body;
  omid = new Browser(gateway);
  await omid.signIn('omid@example.com', { name: 'Omid', invitation });
  omid.account = accountId;
}, 120_000);
afterAll(() => gateway?.stop());
beforeEach(() => gateway.vendor.reset());

/** Its body is left on the wire. */
const chat = (browser: Browser) =>
  fetch(`${gateway.origin}/api/console/playground/chat`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: gateway.origin,
      cookie: browser.cookie ?? '',
      'x-svc-account': accountId,
    },
    body: JSON.stringify({
      model: 'mock/chat',
      messages: [{ role: 'user', content: 'سلام' }],
      stream: true,
      svc: { resume_seconds: 60 },
    }),
  });
const idOf = (response: Response) => response.headers.get('x-svc-request-id') ?? '';
const continued = (browser: Browser, id: string, after = 0) =>
  browser.send<string>('GET', `/api/console/playground/requests/${id}/stream`, undefined, {
    'last-event-id': String(after),
  });
const stopped = (browser: Browser, id: string) =>
  browser.send('DELETE', `/api/console/playground/requests/${id}/stream`);

it('are continued by their own person without a new call, and unknown to everybody else', async () => {
  gateway.vendor.next(answer({ text: 'یک دو سه چهار', pieces: 4 }));
  const response = await chat(sara);
  const [id, whole] = [idOf(response), await response.text()];
  const frames = whole.split(/(?<=\n\n)/);
  expect(frames.length).toBeGreaterThan(4);
  for (const after of [0, 2, frames.length])
    expect(frames.slice(0, after).join('') + (await continued(sara, id, after)).body).toBe(whole);
  expect(gateway.vendor.requests).toHaveLength(1);
  expect((await continued(omid, id)).status).toBe(404);
  const { key } = (await sara.post<{ key: string }>('/keys', { name: 'of the same account' })).body;
  const byKey = await gateway.fetch(`/api/v1/requests/${id}/stream`, { key });
  expect([404, 410]).toContain(byKey.status);
  const stranger = new Browser(gateway);
  await stranger.signIn('09121700012', { name: 'Reza' });
  await stranger.get('/playground');
  expect((await continued(stranger, id)).status).toBe(404);
});

it('are stopped by their own person alone, while they run', async () => {
  const gate = createGate();
  gateway.vendor.next(faults.stallAfter(4, gate, { text: 'one two three four five six seven eight' }));
  const response = await chat(sara);
  const upstream = await gateway.vendor.received(0);
  expect((await stopped(omid, idOf(response))).status).toBe(404);
  expect((await stopped(sara, idOf(response))).status).toBe(200);
  expect(await upstream.ended).toBe('aborted');
  gate.open();
  expect(await response.text()).toContain('stream_cancelled');
  expect((await stopped(sara, idOf(response))).status).toBe(404);
});

it('are asked for only where the key allows it', async () => {
  const ground = async () => (await sara.get<{ key: { id: string }; resume_seconds: number }>('/playground')).body;
  const { key, resume_seconds: usual } = await ground();
  expect(usual).toBe(60);
  await gateway.admin('PATCH', `/api/admin/keys/${key.id}`, { rules: { resume_seconds: 0 } });
  expect((await ground()).resume_seconds).toBe(0);
});
