/** What customers and the operator do with knowledge bases, over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { knowledgeOf, type ShownDocument } from './ask.ts';

let gateway: TestGateway;
let kb: ReturnType<typeof knowledgeOf>;

beforeAll(async () => {
  const limits = { knowledge_max_documents: 3, knowledge_max_document_bytes: 20_000, knowledge_max_bases: 8 };
  gateway = await startGateway({ config: { settings: { discovery: false, ...limits } } });
  kb = knowledgeOf(gateway);
});
afterAll(() => gateway.stop());

const LEAVE =
  '# مرخصی\n\n## استحقاقی\nهر کارمند سالانه ۲۶ روز مرخصی استحقاقی دارد و باید آن را با هماهنگی مدیر خود تا پایان سال بگیرد.\n\n## زایمان\nمدت مرخصی زایمان نُه ماه تمام است و حقوق این دوره را سازمان تأمین اجتماعی می‌پردازد.\n';

describe('a base', () => {
  it('is created, listed, renamed and deleted', async () => {
    const id = await kb.create('First');
    expect(id).toMatch(/^kb_/);
    expect((await kb.ask('PATCH', `/${id}`, { name: 'راهنما' })).body).toMatchObject({
      id,
      name: 'راهنما',
      documents: 0,
    });
    const list = await kb.ask<{ data: { id: string }[] }>('GET', '');
    expect(list.body.data.map((each) => each.id)).toContain(id);
    expect((await kb.ask('DELETE', `/${id}`)).body).toEqual({ id, deleted: true });
    expect((await kb.ask('GET', `/${id}`)).status).toBe(404);
  });

  it('refuses unknown fields, unknown models and models that make no vectors', async () => {
    expect((await kb.ask('POST', '', { name: 'x', colour: 'red' })).status).toBe(400);
    expect((await kb.ask('POST', '', { name: 'x', embedding_model: 'no/such' })).status).toBe(404);
    expect((await kb.ask('POST', '', { name: 'x', embedding_model: 'sandbox/echo' })).status).toBe(400);
  });
});

describe('a document', () => {
  it('is found under any spelling of the question, with its heading', async () => {
    const base = await kb.create('Handbook');
    const { status, body } = await kb.upload(base, 'leave.md', LEAVE);
    expect(status).toBe(202);
    expect(await kb.settled(base, body.id)).toMatchObject({ state: 'ready', progress: 100, reason: null });
    const [best] = await kb.search(base, 'چند روز مرخصي استحقاقي در سال داريم');
    expect(best).toMatchObject({ title: 'leave.md', heading: 'مرخصی › استحقاقی' });
    const [misspelt] = await kb.search(base, 'استحقافی');
    expect(misspelt?.heading).toBe('مرخصی › استحقاقی');
  });

  it('is the same when it is sent again, and replaced whole when it changed', async () => {
    const base = await kb.create('Replaced');
    const { body: first } = await kb.upload(base, 'a.txt', 'The office opens at eight in the morning.');
    await kb.settled(base, first.id);
    const again = await kb.upload(base, 'a.txt', 'The office opens at eight in the morning.');
    expect(again).toMatchObject({ status: 200, body: { id: first.id, revision: 1, state: 'ready' } });
    const changed = await kb.upload(base, 'a.txt', 'The office opens at nine in the morning.');
    expect(changed).toMatchObject({ status: 202, body: { id: first.id, revision: 2 } });
    // Until the new content is ready the old one answers: there is no moment without an answer, and none with both.
    for (;;) {
      const found = await kb.search(base, 'when does the office open');
      expect(found).toHaveLength(1);
      if (found[0]?.text.includes('nine')) break;
    }
    const put = await kb.upload(base, 'a.txt', 'The office opens at ten.', 'text/plain', first.id);
    expect(put).toMatchObject({ status: 202, body: { id: first.id, revision: 3 } });
    await kb.settled(base, first.id);
    expect((await kb.search(base, 'office opens')).map(({ text }) => text)).toEqual(['The office opens at ten.']);
    expect((await kb.ask('DELETE', `/${base}/documents/${first.id}`)).status).toBe(200);
    expect(await kb.search(base, 'office opens')).toEqual([]);
  });

  it('that cannot be read fails alone, says why in both languages, and keeps what was there before', async () => {
    const base = await kb.create('Broken');
    const { body } = await kb.upload(base, 'a.pdf', 'The tea costs twelve toman.');
    expect(await kb.settled(base, body.id)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('not pdf'),
    });
    const persian = await gateway.fetch(`/api/v1/knowledge_bases/${base}/documents/${body.id}`);
    expect(((await persian.json()) as ShownDocument).reason).toMatch(/[\u0600-\u06ff]/);
    const { body: good } = await kb.upload(base, 'b.txt', 'The tea costs twelve toman.');
    await kb.settled(base, good.id);
    await kb.upload(base, 'b.txt', '', '', good.id);
    expect(await kb.settled(base, good.id)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('empty'),
    });
    expect(await kb.search(base, 'tea')).toHaveLength(1);
  });

  it('from an address must be https and public', async () => {
    const base = await kb.create('Addresses');
    expect((await kb.ask('POST', `/${base}/documents`, { url: 'http://example.com/' })).status).toBe(400);
    expect((await kb.ask('POST', `/${base}/documents`, { url: 'https://a.example/', text: 'x' })).status).toBe(400);
    const { body } = await kb.ask<ShownDocument>('POST', `/${base}/documents`, { url: 'https://127.0.0.1:1/secret' });
    expect(await kb.settled(base, body.id)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('public internet'),
    });
  });

  it('stays within the limits, which errors name', async () => {
    const base = await kb.create('Limits');
    const large = await kb.upload(base, 'big.txt', 'x'.repeat(20_001));
    expect(large.status).toBe(413);
    for (let at = 0; at < 3; at++)
      expect((await kb.ask('POST', `/${base}/documents`, { name: `${at}`, text: `text number ${at}` })).status).toBe(
        202,
      );
    const more = await kb.ask<{ error: { message: string } }>('POST', `/${base}/documents`, {
      name: '4',
      text: 'one more',
    });
    expect(more.status).toBe(400);
    expect(more.body.error.message).toContain('The limit is 3 documents');
  });
});

describe('the operator', () => {
  it('works with the bases of any account', async () => {
    const made = await gateway.admin('POST', '/api/admin/knowledge_bases', { account_id: 'acme', name: 'By operator' });
    expect(made.status).toBe(201);
    const { id } = (await made.json()) as { id: string };
    const path = `/api/admin/knowledge_bases/${id}`;
    const added = await gateway.admin('POST', `${path}/documents`, { name: 'a', text: 'Tea is served at four.' });
    expect(added.status).toBe(202);
    const document = ((await added.json()) as ShownDocument).id;
    expect(await kb.settled(id, document)).toMatchObject({ state: 'ready' });
    const found = await gateway.admin('POST', `${path}/search`, { query: 'tea' });
    expect(((await found.json()) as { data: object[] }).data).toHaveLength(1);
    expect((await gateway.admin('DELETE', path)).status).toBe(200);
    expect((await kb.ask('GET', `/${id}`)).status).toBe(404);
  });
});
