/** The operator's name, colour and picture where customers meet them, and the messenger tried from the console. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildWebIfStale } from '../../bin/build-web.mjs';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { type Operator, operatorOf } from './operator.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const DRAWING = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>').toString(
  'base64',
);
let gateway: TestGateway;
let operator: Operator;

beforeAll(async () => {
  await buildWebIfStale();
  gateway = await startGateway({});
  operator = await operatorOf(gateway);
}, 300_000);
afterAll(async () => {
  await gateway.stop();
  await gateway.vendor.close();
});

const page = async (path: string) => (await fetch(`${gateway.origin}${path}`)).text();

it('has our own name until it is given one, and then bears it on pages, in the console and in messages', async () => {
  expect(await page('/en')).toContain('· Dargah</title>');
  await operator.patch('/branding', { name_fa: 'پل', name_en: 'Pol', support_email: 'help@pol.example' });
  for (const path of ['/fa', '/fa/catalog', '/console']) expect(await page(path)).toContain('پل');
  expect(await page('/en')).toContain('· Pol</title>');
  expect(await page('/en')).toContain('mailto:help@pol.example');
  await fetch(`${gateway.origin}/api/console/sign-in/codes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: gateway.origin, 'accept-language': 'fa' },
    body: JSON.stringify({ to: '09120000001' }),
  });
  await eventually(async () => {
    const { data } = await operator.get<{ data: { text: string }[] }>('/outbox');
    expect(data.map(({ text }) => text).join()).toContain('کد ورود شما به پل');
  });
  // What is not named stays; null takes away.
  await operator.patch('/branding', { name_en: null });
  expect(await operator.get('/branding')).toMatchObject({ name_fa: 'پل', name_en: null });
  expect(await page('/en')).toContain('· پل</title>');
});

it('writes a hostile name as text', async () => {
  await operator.patch('/branding', { name_fa: '"><script>x</script>', name_en: null });
  for (const path of ['/fa', '/console', '/operator']) {
    const text = await page(path);
    expect(text).not.toContain('<script>x');
    expect(text).toContain('&lt;script&gt;');
  }
  await operator.patch('/branding', { name_fa: null });
  expect(await operator.refused('PATCH', '/branding', { support_address: 'javascript:alert(1)' })).toEqual([
    400,
    'support_address',
  ]);
});

it('changes the hue of the accent by a file of its own, within bounds', async () => {
  await operator.patch('/branding', { hue: 300 });
  expect(await page('/fa')).toContain('href="/brand/hue-300.css"');
  const style = await fetch(`${gateway.origin}/brand/hue-300.css`);
  expect(style.headers.get('content-type')).toContain('text/css');
  expect(await style.text()).toContain('--accent: light-dark(oklch(0.485 0.083 300)');
  expect((await fetch(`${gateway.origin}/brand/hue-999.css`)).status).toBe(404);
  expect(await operator.refused('PATCH', '/branding', { hue: 360 })).toEqual([400, 'hue']);
});

it('takes pictures and no drawings that may hold script', async () => {
  expect(await operator.refused('PUT', '/branding/logo', { image: DRAWING })).toEqual([400, 'image']);
  const { logo } = (await operator.put('/branding/logo', { image: PIXEL })) as { logo: string };
  const picture = await fetch(gateway.origin + logo);
  expect([picture.headers.get('content-type'), picture.headers.get('x-content-type-options')]).toEqual([
    'image/png',
    'nosniff',
  ]);
  expect(await page('/fa')).toContain(`<img class="mark" src="${logo}"`);
  expect(await operator.remove('/branding/logo')).toMatchObject({ logo: null });
  expect((await fetch(gateway.origin + logo)).status).toBe(404);
});

it('says who carries messages, and tries them', async () => {
  expect(await operator.get('/messenger')).toMatchObject({ object: 'messenger', sandbox: true, carriers: [] });
  expect(await operator.post('/messenger/test', { to: '۰۹۱۲۳۴۵۶۷۸۹' })).toMatchObject({ sandbox: true, trials: [] });
  const { data } = await operator.get<{ data: { to: string; kind: string }[] }>('/outbox');
  expect(data[0]).toMatchObject({ to: '09123456789', kind: 'test' });
  expect(await operator.refused('POST', '/messenger/test', { to: 'nobody' })).toEqual([400, 'to']);
});

it('has a trial balance whose sides are equal', async () => {
  const { books, debit, credit } = await operator.get<{ books: { book: string }[]; debit: string; credit: string }>(
    '/trial-balance',
  );
  expect(debit).toBe(credit);
  expect(books.map(({ book }) => book)).toContain('wallets');
});
