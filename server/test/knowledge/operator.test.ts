/** The operator's files and the trace that each of their changes leaves. */
import { request as openRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { knowledgeOf, type ShownDocument } from './ask.ts';

let gateway: TestGateway;
let kb: ReturnType<typeof knowledgeOf>;
const BASES = '/api/admin/knowledge_bases';

beforeAll(async () => {
  gateway = await startGateway({ config: { settings: { discovery: false, knowledge_max_document_bytes: 20_000 } } });
  kb = knowledgeOf(gateway);
});
afterAll(() => gateway.stop());

async function create(name: string): Promise<string> {
  const made = await gateway.admin('POST', BASES, { account_id: 'acme', name });
  expect(made.status).toBe(201);
  return ((await made.json()) as { id: string }).id;
}

async function upload(method: string, path: string, content: string, name = 'tea.md') {
  const form = new FormData();
  form.append('file', new Blob([content]), name);
  const headers = { authorization: `Bearer ${gateway.operatorToken}` };
  const response = await fetch(gateway.origin + path, { method, headers, body: form });
  return { status: response.status, body: (await response.json()) as ShownDocument };
}

/** Sends the beginning of a form and never its end; the status of the answer that comes all the same. */
function statusBeforeTheEnd(path: string, token: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sending = openRequest(gateway.origin + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=x' },
    });
    sending.on('error', reject);
    sending.on('response', (response) => {
      resolve(response.statusCode);
      sending.off('error', reject).on('error', () => undefined);
      sending.destroy();
    });
    sending.write('--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nthe beginning');
  });
}

async function traces(subject: string) {
  const answer = await gateway.admin('GET', `/api/admin/events?subject=${subject}`);
  const { data } = (await answer.json()) as { data: { actor: string; action: string; detail: object }[] };
  return data.reverse().map(({ actor, action, detail }) => ({ actor, action, detail }));
}

describe("the operator's file", () => {
  it('is uploaded, read, replaced and deleted', async () => {
    const base = await create('Files');
    const path = `${BASES}/${base}/documents`;
    const added = await upload('POST', path, '# Tea\nTea is served at four.');
    expect(added).toMatchObject({ status: 202, body: { name: 'tea.md', revision: 1 } });
    const { id } = added.body;
    expect(await kb.settled(base, id)).toMatchObject({ state: 'ready' });
    expect((await kb.search(base, 'tea'))[0]).toMatchObject({ heading: 'Tea' });
    const replaced = await upload('PUT', `${path}/${id}`, '# Tea\nTea is served at five.');
    expect(replaced).toMatchObject({ status: 202, body: { id, revision: 2 } });
    await kb.settled(base, id);
    expect((await kb.search(base, 'tea')).map(({ text }) => text).join()).toContain('five');
    expect((await gateway.admin('DELETE', `${path}/${id}`)).status).toBe(200);
    expect(await kb.search(base, 'tea')).toEqual([]);
  });

  it('stays within the limit of a file, and JSON goes on to work beside it', async () => {
    const base = await create('Limits');
    const path = `${BASES}/${base}/documents`;
    expect((await upload('POST', path, 'x'.repeat(20_001))).status).toBe(413);
    expect((await gateway.admin('POST', path, { name: 'a', text: 'A text.' })).status).toBe(202);
    expect((await gateway.admin('POST', path, { name: 'a' })).status).toBe(400);
  });

  it('is not read before the token and the base are known', async () => {
    const base = await create('Unread');
    expect(await statusBeforeTheEnd(`${BASES}/${base}/documents`, 'wrong')).toBe(401);
    expect(await statusBeforeTheEnd(`${BASES}/${base}/documents`, gateway.key)).toBe(401);
    expect(await statusBeforeTheEnd(`${BASES}/kb_00000000000000000000000/documents`, gateway.operatorToken)).toBe(404);
  });
});

describe('the trail', () => {
  it('tells of every change of a base', async () => {
    const base = await create('Traced');
    expect((await gateway.admin('PATCH', `${BASES}/${base}`, { name: 'Renamed' })).status).toBe(200);
    expect((await gateway.admin('DELETE', `${BASES}/${base}`)).status).toBe(200);
    const actor = 'operator';
    expect(await traces(base)).toEqual([
      { actor, action: 'knowledge_base.create', detail: { account: 'acme', name: 'Traced', embeddingModel: null } },
      { actor, action: 'knowledge_base.update', detail: { name: 'Renamed' } },
      { actor, action: 'knowledge_base.delete', detail: { account: 'acme', name: 'Renamed' } },
    ]);
  });

  it('tells of every change of a document with who made it, and not of one that changed nothing', async () => {
    const base = await create('Documents');
    const path = `${BASES}/${base}/documents`;
    const { id } = (await upload('POST', path, 'Tea at four.', 'a.txt')).body;
    await kb.settled(base, id);
    expect((await upload('POST', path, 'Tea at four.', 'a.txt')).body).toMatchObject({ id, revision: 1 });
    await gateway.admin('PUT', `${path}/${id}`, { name: 'a.txt', text: 'Tea at five.' });
    await gateway.admin('DELETE', `${path}/${id}`);
    expect(await traces(id)).toEqual([
      {
        actor: 'operator',
        action: 'knowledge_document.create',
        detail: { base, name: 'a.txt', source: 'upload' },
      },
      { actor: 'operator', action: 'knowledge_document.replace', detail: { base, name: 'a.txt', source: 'text' } },
      { actor: 'operator', action: 'knowledge_document.delete', detail: { base, name: 'a.txt' } },
    ]);
  });

  it('is not for what an account does with its own', async () => {
    const own = await kb.create('Own');
    expect((await kb.ask('PATCH', `/${own}`, { name: 'Mine' })).status).toBe(200);
    expect(await traces(own)).toEqual([]);
  });
});
