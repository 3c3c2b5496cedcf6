/** A model goes on its day by itself, on every replica, and whoever still asks for it is told what follows it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Operator, operatorOf } from '../admin/operator.ts';
import { answer } from '../fake-vendor/index.ts';
import { MovedClock } from '../harness/moved-clock.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

const DAY = 86_400_000;
const clock = new MovedClock();
let gateway: TestGateway;
let operator: Operator;

beforeAll(async () => {
  gateway = await startGateway({ clock });
  operator = await operatorOf(gateway);
  gateway.vendor.always(answer({ text: 'ok', usage: { input: 1, output: 1 } }));
}, 120_000);
afterAll(() => gateway?.stop());

interface Shown {
  id: string;
  withdrawn_from: string | null;
  successor: string | null;
}

const ask = (model: string) => gateway.chat({ model, messages: [{ role: 'user', content: 'hi' }] });
const listed = async () => ((await (await gateway.fetch('/api/v1/models')).json()) as { data: Shown[] }).data;
const retire = (model: string, body: object) => operator.post(`/models/${model}/retirement`, body);

it('says until when and what instead, stops on its day without a message, and names the successor', async () => {
  await operator.post('/models', {
    id: 'acme/old',
    routes: [{ provider: 'chat-a', model: 'up-model' }],
    price: { input: 1, output: 1 },
    capabilities: ['streaming'],
  });
  const at = new Date(clock.now() + 2 * DAY).toISOString();
  const retired = await retire('acme/old', { at, successor: 'mock/chat' });
  expect(retired).toMatchObject({ state: 'active', retires_at: at, successor: 'mock/chat' });
  await expect
    .poll(async () => (await listed()).find(({ id }) => id === 'acme/old'))
    .toMatchObject({
      withdrawn_from: at,
      successor: 'mock/chat',
    });
  const page = await (await gateway.fetch('/en/models/acme/old')).text();
  expect(page).toContain('Use instead:');
  expect(page).toContain('href="/en/models/mock/chat"');
  expect((await ask('acme/old')).status).toBe(200);
  // Nobody tells the process anything: its own clock has come to the day.
  clock.moved += 2 * DAY;
  const refused = await ask('acme/old');
  expect(refused.status).toBe(404);
  expect(await refused.json()).toMatchObject({
    error: { code: 'model_not_found', param: 'model', message: expect.stringContaining('به‌جای آن «mock/chat»') },
  });
  expect((await listed()).some(({ id }) => id === 'acme/old')).toBe(false);
  // Kept after all, it answers again.
  await operator.remove('/models/acme/old/retirement');
  await expect.poll(async () => (await ask('acme/old')).status).toBe(200);
});

it('a model of the file goes too, and is off rather than retired; the file stays what it is', async () => {
  const gone = await retire('mock/plain', { at: new Date(clock.now() - DAY).toISOString() });
  expect(gone).toMatchObject({ managed_by: 'config', successor: null });
  await expect.poll(async () => (await ask('mock/plain')).status).toBe(404);
  await operator.remove('/models/mock/plain/retirement');
  await expect.poll(async () => (await ask('mock/plain')).status).toBe(200);
});

it.each([
  ['itself', 'mock/chat'],
  ['nothing that is there', 'mock/none'],
  ['a model of another kind', 'mock/embed'],
])('a successor that is %s is refused', async (_what, successor) => {
  const body = { at: new Date(clock.now() + DAY).toISOString(), successor };
  expect(await operator.refused('POST', '/models/mock/chat/retirement', body)).toEqual([400, 'successor']);
});
