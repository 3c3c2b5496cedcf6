/** What the console shows of a document: its passages as they were cut, and its progress without asking again and again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { Browser } from '../people/client.ts';
import { LiveTail } from '../people/live-tail.ts';
import { eventually } from '../services/eventually.ts';

let gateway: TestGateway;
let sara: Browser;
let base: string;
beforeAll(async () => {
  gateway = await startGateway();
  sara = new Browser(gateway);
  const entered = await sara.signIn('09121110009', { name: 'Sara', account_name: 'Acme' });
  sara.account = entered.body.accounts[0]?.id;
  base = (await sara.post<{ id: string }>('/knowledge-bases', { name: 'guide' })).body.id;
}, 120_000);
afterAll(() => gateway.stop());

interface Passage {
  place: number;
  text: string;
  heading: string | null;
}

const TEXT = Array.from({ length: 6 }, (_, n) => `# Part ${n}\n\n${`Sentence of part ${n}. `.repeat(120)}`).join(
  '\n\n',
);

describe('a document in the console', () => {
  it('is told of by the live connection, and its passages come in order, page by page', async () => {
    const live = await LiveTail.open(sara, sara.account ?? '', '/api/console/live');
    const documents = `/knowledge-bases/${base}/documents`;
    const name = 'راهنمای هزینه‌ها';
    const added = await sara.post<{ id: string; name: string }>(documents, { name, text: TEXT, format: 'markdown' });
    expect(added.body.name, 'a half-space belongs to the word').toBe(name);
    expect(await live.nextChange()).toEqual({ what: 'knowledge', id: null });
    live.close();
    await eventually(async () => {
      expect((await sara.get<{ state: string }>(`${documents}/${added.body.id}`)).body.state).toBe('ready');
    });
    const passages = `${documents}/${added.body.id}/passages`;
    const all = (await sara.get<{ data: Passage[]; next: null }>(passages)).body;
    expect(all.data.map(({ place }) => place)).toEqual(all.data.map((_, index) => index + 1));
    expect(all.data.length).toBeGreaterThan(2);
    expect(all.data[0]?.text).toContain('Sentence of part 0');
    const first = (await sara.get<{ data: Passage[]; next: string }>(`${passages}?limit=2`)).body;
    const second = (await sara.get<{ data: Passage[] }>(`${passages}?limit=2&after=${first.next}`)).body;
    expect([...first.data, ...second.data]).toEqual(all.data.slice(0, 4));
    expect((await sara.get(`${passages}?after=nowhere`)).status).toBe(400);
  });

  it('is not there for another account', async () => {
    const { data } = (await sara.get<{ data: { id: string }[] }>(`/knowledge-bases/${base}/documents`)).body;
    const omid = new Browser(gateway);
    const entered = await omid.signIn('09121110010', { name: 'Omid', account_name: 'Other' });
    omid.account = entered.body.accounts[0]?.id;
    const path = `/knowledge-bases/${base}/documents/${data[0]?.id}/passages`;
    expect((await omid.get(path)).status).toBe(404);
  });
});
