/** A knowledge base with documents in every state, and an answer from them. */
import { answer } from '../fake-vendor/index.ts';
import type { TestGateway } from '../harness/start-gateway.ts';
import type { Browser } from '../people/client.ts';
import { eventually } from '../services/eventually.ts';

const MANUAL = `# مرخصی

هر کارمند در سال ۲۶ روز مرخصی استحقاقی دارد. مانده تا ۹ روز به سال بعد می‌رود.

## مرخصی ساعتی

مرخصی ساعتی تا ۴ ساعت در روز پذیرفته است و از مرخصی استحقاقی کم می‌شود.

# دورکاری

دورکاری با هماهنگی سرپرست تا ۳ روز در هفته ممکن است. تجهیزات را شرکت می‌دهد.
`;

export async function teach(customer: Browser): Promise<{ baseId: string; documentId: string }> {
  const base = (await customer.post<{ id: string }>('/knowledge-bases', { name: 'راهنمای کارکنان' })).body.id;
  const documents = `/knowledge-bases/${base}/documents`;
  const manual = { name: 'مرخصی و دورکاری', text: MANUAL, format: 'markdown' };
  const documentId = (await customer.post<{ id: string }>(documents, manual)).body.id;
  await customer.post(documents, { name: 'قیمت‌ها', text: 'شهر,مبلغ\nتهران,120000\nشیراز,90000\n', format: 'csv' });
  await customer.post(documents, { name: 'نشانی بسته', url: 'https://127.0.0.1/private.pdf' });
  await customer.post('/knowledge-bases', { name: 'پرسش‌های پرتکرار' });
  await allRead(customer, documents);
  return { baseId: base, documentId };
}

const allRead = (customer: Browser, documents: string) =>
  eventually(async () => {
    const { data } = (await customer.get<{ data: { state: string }[] }>(documents)).body;
    if (data.some(({ state }) => state !== 'ready' && state !== 'failed')) throw new Error('still reading');
  });

/** Of the documents it was answered from, one is removed afterwards. */
export async function askFromDocuments(
  gateway: TestGateway,
  customer: Browser,
  base: string,
  key: string,
): Promise<string> {
  const documents = `/knowledge-bases/${base}/documents`;
  const draft = { name: 'leave-policy-2026_draft-for-review.md', text: 'مرخصی بدون حقوق تا ۳۰ روز در سال است.' };
  const { id } = (await customer.post<{ id: string }>(documents, draft)).body;
  await allRead(customer, documents);
  gateway.vendor.next(answer({ text: 'سالی ۲۶ روز [1].', usage: { input: 420, output: 12 } }));
  const messages = [{ role: 'user', content: 'در سال چند روز مرخصی و چند روز دورکاری داریم؟' }];
  const body = { model: 'openai/gpt-5-mini', messages, max_tokens: 100, svc: { knowledge_base_ids: [base] } };
  const answered = await gateway.chat(body, { key });
  await customer.remove(`${documents}/${id}`);
  return answered.headers.get('x-svc-request-id') ?? '';
}
