/** The small client of the guide: its lines in the guide are those of the file, and it goes on over connections that break. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { answer } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

const docs = new URL('../../../docs/', import.meta.url);
const FILE = new URL('samples/resumable-stream.mjs', docs);

interface Client {
  streamEvents(url: string, init: RequestInit, options?: object): AsyncGenerator<{ id: number; data: string }>;
  continueEvents(
    url: string,
    id: string,
    last: number,
    init: RequestInit,
    options?: object,
  ): AsyncGenerator<{ id: number; data: string }>;
}

let gateway: TestGateway;
let client: Client;
let link: Server;
let origin: string;
/** After so many bytes of an answer its connection breaks; nothing breaks where it is 0. */
let breaksAfter = 0;

beforeAll(async () => {
  gateway = await startGateway();
  client = (await import(FILE.href)) as Client;
  link = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !['host', 'connection', 'content-length'].includes(name)),
    ) as Record<string, string>;
    const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
    const asked = await fetch(gateway.origin + request.url, {
      method: request.method ?? 'GET',
      headers,
      ...(body && { body }),
    });
    response.writeHead(asked.status, Object.fromEntries(asked.headers));
    const bytes = Buffer.from(await asked.arrayBuffer());
    if (breaksAfter === 0 || bytes.length <= breaksAfter) response.end(bytes);
    else response.write(bytes.subarray(0, breaksAfter), () => response.destroy());
  });
  await new Promise<void>((resolve) => link.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(link.address() as AddressInfo).port}`;
}, 120_000);
afterAll(async () => {
  link?.close();
  await gateway?.stop();
});
beforeEach(() => gateway.vendor.reset());

const TEXT = 'سلام دنیا، this is a longer answer of several pieces 🌍';
const headers = { 'content-type': 'application/json', authorization: 'Bearer dg-test-main' };
const init = (svc: object = { resume_seconds: 60 }): RequestInit => ({
  method: 'POST',
  headers,
  body: JSON.stringify({ model: 'mock/chat', messages: [{ role: 'user', content: 'x' }], stream: true, svc }),
});
const wordsOf = (data: string) => (data === '[DONE]' ? '' : (JSON.parse(data).choices[0]?.delta?.content ?? ''));

it('stands in the guide as it is', () => {
  const code = readFileSync(FILE, 'utf8');
  for (const guide of ['customers.md', 'customers.fa.md'])
    expect(readFileSync(new URL(guide, docs), 'utf8')).toContain(`\`\`\`js\n${code}\`\`\``);
});

it('joins an answer over connections that break again and again', async () => {
  gateway.vendor.next(answer({ text: TEXT, pieces: 12 }));
  breaksAfter = 900;
  let text = '';
  const ids: number[] = [];
  for await (const { id, data } of client.streamEvents(`${origin}/api/v1/chat/completions`, init(), { pauseMs: 1 })) {
    ids.push(id);
    text += wordsOf(data);
  }
  expect(text).toBe(TEXT);
  expect(ids).toEqual(ids.map((_, at) => at + 1));
  expect(gateway.vendor.requests).toHaveLength(1);
});

it('goes on after a reload, and tells what cannot be continued', async () => {
  breaksAfter = 0;
  gateway.vendor.next(answer({ text: TEXT, pieces: 12 }));
  let [requestId, last, text] = ['', 0, ''];
  const onRequest = (id: string) => {
    requestId = id;
  };
  for await (const event of client.streamEvents(`${origin}/api/v1/chat/completions`, init(), { onRequest })) {
    text += wordsOf(event.data);
    last = event.id;
    if (last === 5) break;
  }
  for await (const { data } of client.continueEvents(origin, requestId, last, { headers })) text += wordsOf(data);
  expect(text).toBe(TEXT);
  await expect(client.continueEvents(origin, 'req_none', 0, { headers }).next()).rejects.toMatchObject({ status: 404 });
});
