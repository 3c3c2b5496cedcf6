/** Batches of a customer: one that was answered, but for one line, and one whose file was refused. */
import type { TestGateway } from '../harness/start-gateway.ts';
import type { Browser } from '../people/client.ts';
import { eventually } from '../services/eventually.ts';

const line = (id: number, model: string) => ({
  custom_id: `question-${id}`,
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model, messages: [{ role: 'user', content: 'سلام' }], max_tokens: 20 },
});

export interface HandedIn {
  answered: string;
  refused: string;
}

export async function handIn(gateway: TestGateway, customer: Browser, key: string): Promise<HandedIn> {
  const make = async (lines: readonly object[]): Promise<string> => {
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob([lines.map((one) => JSON.stringify(one)).join('\n')]), 'questions.jsonl');
    const uploaded = await gateway.fetch('/api/v1/files', { key, method: 'POST', body: form });
    const file = (await uploaded.json()) as { id: string };
    const order = { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' };
    const headers = { 'content-type': 'application/json' };
    const made = await gateway.fetch('/api/v1/batches', { key, method: 'POST', headers, body: JSON.stringify(order) });
    const { id } = (await made.json()) as { id: string };
    await eventually(async () => {
      const { body } = await customer.get<{ ended_at: string | null }>(`/batches/${id}`);
      if (body.ended_at === null) throw new Error('still running');
    });
    return id;
  };
  const models = ['sandbox/hello', 'sandbox/hello', 'sandbox/hello', 'nobody/has-this'];
  const answered = await make(models.map((model, at) => line(at, model)));
  const refused = await make([line(1, 'sandbox/hello'), line(1, 'sandbox/hello'), { custom_id: 'question-2' }]);
  return { answered, refused };
}
