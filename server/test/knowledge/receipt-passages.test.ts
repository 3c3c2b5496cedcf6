/** The receipt of a grounded request names what its documents gave to the prompt, and says which of it can still be read. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operatorOf } from '../admin/operator.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { Browser } from '../people/client.ts';
import { eventually } from '../services/eventually.ts';

interface UsedPassage {
  index: number;
  knowledge_base_id: string;
  document_id: string;
  revision: number;
  title: string;
  place: number;
  page: number | null;
  heading: string | null;
  tokens: number;
  score: number;
  still_there?: boolean;
}
interface ShownReceipt {
  retrieved_tokens: number;
  passages: UsedPassage[];
}

let gateway: TestGateway;
let sara: Browser;
let key: string;
let documents: string;
let base: string;

beforeAll(async () => {
  gateway = await startGateway();
  sara = new Browser(gateway);
  const entered = await sara.signIn('09121110011', { name: 'Sara', account_name: 'Acme' });
  sara.account = entered.body.accounts[0]?.id;
  key = (await sara.post<{ key: string }>('/keys', { name: 'reader' })).body.key;
  await gateway.admin('POST', `/api/admin/accounts/${sara.account}/transfers`, {
    id: 'seed',
    kind: 'top-up',
    amount: 100_000,
  });
  base = (await sara.post<{ id: string }>('/knowledge-bases', { name: 'Handbook' })).body.id;
  documents = `/knowledge-bases/${base}/documents`;
}, 120_000);
afterAll(() => gateway.stop());

async function settled(id: string): Promise<string> {
  await eventually(async () => {
    expect((await sara.get<{ state: string }>(`${documents}/${id}`)).body.state).toBe('ready');
  });
  return id;
}

async function write(name: string, text: string): Promise<string> {
  const { body } = await sara.post<{ id: string }>(documents, { name, text, format: 'markdown' });
  return settled(body.id);
}

async function askAbout(question: string) {
  const messages = [{ role: 'user', content: question }];
  const answer = await gateway.chat({ model: 'sandbox/quote', messages, svc: { knowledge_base_ids: [base] } }, { key });
  expect(answer.status).toBe(200);
  const { svc } = (await answer.json()) as { svc: { references: Partial<UsedPassage>[] } };
  return { id: answer.headers.get('x-svc-request-id') ?? '', references: svc.references };
}

const receiptOf = async (id: string) => (await sara.get<ShownReceipt>(`/requests/${id}`)).body;

describe('the receipt of a grounded request', () => {
  it('names the passages by the numbers they are cited by, for the customer, the key and the operator', async () => {
    const leave = await write('leave.md', '# مرخصی\nهر کارمند سالانه ۲۶ روز مرخصی استحقاقی دارد.');
    await write('remote.md', '# دورکاری\nکارمند دو روز در هفته دورکاری دارد.');
    const { id, references } = await askAbout('هر کارمند چند روز مرخصی استحقاقی دارد؟');
    const receipt = await receiptOf(id);
    const named = receipt.passages.map(({ index, document_id, title, score }) => ({
      index,
      document_id,
      title,
      score,
    }));
    expect(named).toEqual(
      references.map(({ index, document_id, title, score }) => ({ index, document_id, title, score })),
    );
    expect(receipt.passages).toHaveLength(2);
    const [first] = receipt.passages;
    expect(first).toMatchObject({ index: 1, knowledge_base_id: base, document_id: leave, title: 'leave.md' });
    expect(first).toMatchObject({ revision: 1, place: 1, page: null, heading: 'مرخصی', still_there: true });
    expect(first?.tokens).toBeGreaterThan(0);
    expect(receipt.retrieved_tokens).toBeGreaterThan(first?.tokens ?? 0);
    const place = (await sara.get<{ data: { text: string }[] }>(`${documents}/${leave}/passages`)).body.data[0];
    expect(place?.text).toContain('۲۶ روز');

    const withoutSight = receipt.passages.map(({ still_there: _there, ...passage }) => passage);
    const ofKey = (await (await gateway.fetch(`/api/v1/requests/${id}`, { key })).json()) as ShownReceipt;
    expect(ofKey.passages).toEqual(withoutSight);
    const operator = await operatorOf(gateway);
    expect((await operator.get<ShownReceipt>(`/requests/${id}`)).passages).toEqual(withoutSight);
    expect(JSON.stringify([receipt, ofKey]), 'it is named and not quoted').not.toContain('۲۶ روز');
  });

  it('keeps the name of a document that was replaced or removed, and says that it cannot be read any more', async () => {
    const tea = await write('tea.md', 'Tea is served at four in the garden.');
    const { id } = await askAbout('When is tea served in the garden?');
    const ofTea = async () => (await receiptOf(id)).passages.find(({ document_id: one }) => one === tea);
    expect(await ofTea()).toMatchObject({ title: 'tea.md', revision: 1, still_there: true });
    const replaced = await sara.send('PUT', `/api/console${documents}/${tea}`, {
      name: 'tea.md',
      text: 'Coffee at six.',
    });
    expect(replaced.status).toBe(202);
    await settled(tea);
    expect(await ofTea()).toMatchObject({ title: 'tea.md', revision: 1, still_there: false });
    const again = await askAbout('Coffee at six?');
    const coffee = (await receiptOf(again.id)).passages.find(({ document_id: one }) => one === tea);
    expect(coffee).toMatchObject({ revision: 2, still_there: true });
    expect((await sara.remove(`${documents}/${tea}`)).status).toBe(200);
    expect(await ofTea()).toMatchObject({ title: 'tea.md', still_there: false });
  });

  it('stays small whatever a document calls itself', async () => {
    const name = `\u0001abc${'🫖"\\'.repeat(60)}`.slice(0, 200);
    const heading = `zebra ${'heading '.repeat(100)}`;
    const zebra = await write(name, `# ${heading}\n\nThe zebra crosses at noon.`);
    const { id } = await askAbout('When does the zebra cross?');
    const passage = (await receiptOf(id)).passages.find(({ document_id: one }) => one === zebra);
    expect(passage?.title.length).toBeLessThanOrEqual(121);
    expect(passage?.title, 'no half of a character').not.toMatch(/\p{Cs}/u);
    expect(passage?.heading?.length).toBeLessThanOrEqual(121);
    expect(passage?.title).not.toMatch(/\p{Cc}/u);
  });

  it('names nothing where nothing was asked of a knowledge base', async () => {
    const messages = [{ role: 'user', content: 'سلام' }];
    const answer = await gateway.chat({ model: 'sandbox/hello', messages }, { key });
    const receipt = await receiptOf(answer.headers.get('x-svc-request-id') ?? '');
    expect(receipt).toMatchObject({ retrieved_tokens: 0, passages: [] });
  });
});
