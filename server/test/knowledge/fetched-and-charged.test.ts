/** Documents from an address, and what vectors cost: the two things for which ingestion calls others. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseToman } from '../../src/core/money.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { keyView } from '../money/fixed-price.ts';
import { eventually } from '../services/eventually.ts';
import { knowledgeOf, type ShownDocument } from './ask.ts';

let website: Server;
let site: string;
let price = 'twelve';
let gateway: TestGateway;
let kb: ReturnType<typeof knowledgeOf>;

beforeAll(async () => {
  website = createServer((request, response) => {
    if (request.url === '/moved') response.writeHead(302, { location: '/menu' }).end();
    else if (request.url === '/menu')
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(`<html><body><h1>منو</h1><p>The tea costs ${price} toman.</p><script>spy()</script></body></html>`);
    else response.writeHead(404).end('no');
  });
  await new Promise<void>((resolve) => website.listen(0, '127.0.0.1', resolve));
  const { port } = website.address() as AddressInfo;
  site = `127.0.0.1:${port}`;
  gateway = await startGateway({ config: { settings: { discovery: false, fetch_allowed_hosts: [site] } } });
  kb = knowledgeOf(gateway);
});
afterAll(async () => {
  await gateway.stop();
  website.close();
});

const fromAddress = (base: string, url: string) => kb.ask<ShownDocument>('POST', `/${base}/documents`, { url });

describe('a document from an address', () => {
  it('is fetched through a redirect, read as what the server says it is, and read anew when it is sent again', async () => {
    const base = await kb.create('Addresses');
    const url = `http://${site}/moved`;
    const added = await fromAddress(base, url);
    expect(added).toMatchObject({ status: 202, body: { name: url, source: 'url', url } });
    expect(await kb.settled(base, added.body.id)).toMatchObject({ state: 'ready', reason: null });
    const [found] = await kb.search(base, 'what does tea cost');
    expect(found).toMatchObject({ title: url, heading: 'منو', text: 'The tea costs twelve toman.' });
    price = 'fifteen';
    const again = await fromAddress(base, url);
    expect(again).toMatchObject({ status: 202, body: { id: added.body.id, revision: 2 } });
    await kb.settled(base, added.body.id);
    expect((await kb.search(base, 'tea cost')).map(({ text }) => text)).toEqual(['The tea costs fifteen toman.']);
  });

  it('fails alone where the server has none', async () => {
    const base = await kb.create('Missing');
    const { body } = await fromAddress(base, `http://${site}/nothing`);
    expect(await kb.settled(base, body.id)).toMatchObject({
      state: 'failed',
      reason: 'The server of this address did not give the document.',
    });
  });

  it('needs https on every host that the operator did not name', async () => {
    const base = await kb.create('Plain');
    expect((await fromAddress(base, `http://localhost:${site.split(':')[1]}/menu`)).status).toBe(400);
  });
});

/** As the price list says: toman for a million tokens. */
const PRICE = 2_000n;
const balance = async () => parseToman((await keyView(gateway.origin, gateway.key)).wallet.available) ?? -1n;

/** What the provider said it used, by the rule of the fake vendor: a token for four characters of each text. */
function tokensSent(from: number): bigint {
  const texts = gateway.vendor.requests.slice(from).flatMap(({ body }) => body['input'] as string[]);
  return texts.reduce((sum, text) => sum + BigInt(Math.max(1, Math.ceil(text.length / 4))), 0n);
}

/** Money is kept in millionths of a toman, so tokens times the price of a million is the charge. */
async function expectCharged(before: bigint, from: number): Promise<void> {
  const tokens = tokensSent(from);
  expect(tokens).toBeGreaterThan(0n);
  const expected = before - (tokens * PRICE * (parseToman(1) ?? 0n)) / 1_000_000n;
  await eventually(async () => expect(await balance()).toBe(expected));
}

describe('vectors', () => {
  it("are charged to the base's owner exactly, once, and for questions too", async () => {
    const base = await kb.create('Vectors', { embedding_model: 'mock/embed' });
    const paragraphs = Array.from({ length: 90 }, (_, at) => `# Rule ${at}\n${`word${at} matters a lot. `.repeat(12)}`);
    const text = paragraphs.join('\n\n');
    let [before, from] = [await balance(), gateway.vendor.requests.length];
    const { body } = await kb.upload(base, 'rules.md', text);
    const ready = await kb.settled(base, body.id);
    expect(ready).toMatchObject({ state: 'ready', reason: null });
    // More than one call, so that the sum of several charges is what is checked.
    expect(gateway.vendor.requests.length - from).toBeGreaterThan(1);
    expect(gateway.vendor.requests.slice(from).flatMap(({ body: sent }) => sent['input'])).toHaveLength(ready.passages);
    await expectCharged(before, from);

    [before, from] = [await balance(), gateway.vendor.requests.length];
    expect((await kb.upload(base, 'rules.md', text)).status).toBe(200);
    expect(gateway.vendor.requests).toHaveLength(from);
    expect(await balance()).toBe(before);

    expect(await kb.search(base, 'which word matters')).not.toEqual([]);
    expect(gateway.vendor.requests).toHaveLength(from + 1);
    await expectCharged(before, from);
  });

  it('that the wallet does not cover leave the document failed with the reason, and nothing is charged', async () => {
    await gateway.admin('POST', '/api/admin/accounts', { id: 'poor', name: 'Poor' });
    const made = await gateway.admin('POST', '/api/admin/keys', { account_id: 'poor', name: 'k' });
    const { key } = (await made.json()) as { key: string };
    const poor = knowledgeOf(gateway, key);
    const base = await poor.create('Unpaid', { embedding_model: 'mock/embed' });
    const from = gateway.vendor.requests.length;
    const { body } = await poor.upload(base, 'a.txt', 'Tea is served at four.');
    const { state, reason } = await poor.settled(base, body.id);
    expect(state).toBe('failed');
    expect(reason).toMatch(/balance|credit|wallet/i);
    expect(gateway.vendor.requests).toHaveLength(from);
  });
});
