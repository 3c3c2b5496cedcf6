/** A process dies while it runs a batch: the next one goes on with it, no line is charged twice, and none is lost. */
import { setTimeout as pause } from 'node:timers/promises';
import OpenAI, { toFile } from 'openai';
import { expect, it } from 'vitest';
import { startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { wholeProof } from '../harness/whole-proof.ts';
import { keyView } from '../money/fixed-price.ts';
import { openEmbeddedAt } from '../services/embedded-database.ts';

const LINES = 4;
const clientOf = ({ baseUrl, key }: TestGateway) => new OpenAI({ baseURL: baseUrl, apiKey: key, maxRetries: 0 });
const available = async ({ origin, key }: TestGateway) => (await keyView(origin, key)).wallet.available;

async function completed(client: OpenAI, id: string) {
  for (;;) {
    const batch = await client.batches.retrieve(id);
    if (batch.status === 'completed') return batch;
    await pause(50);
  }
}

async function requestIds(client: OpenAI, fileId: string | undefined): Promise<string[]> {
  const text = await (await client.files.content(fileId ?? '')).text();
  const lines = text.split('\n').filter(Boolean);
  return lines.map((line) => (JSON.parse(line) as { response: { request_id: string } }).response.request_id);
}

it('answers that were charged and not stored are asked again under their old ids; killed ones are charged anew', async () => {
  const vendor = await startFakeVendor();
  let gateway = await startGateway({ vendor });
  try {
    let client = clientOf(gateway);
    const line = (at: number) => ({
      custom_id: `l${at}`,
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model: 'mock/chat', messages: [{ role: 'user', content: 'hi' }], max_tokens: 5 },
    });
    const text = Array.from({ length: LINES }, (_, at) => JSON.stringify(line(at))).join('\n');
    const file = await client.files.create({ file: await toFile(Buffer.from(text), 'a.jsonl'), purpose: 'batch' });
    const order = { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' } as const;
    const before = await available(gateway);
    const { id, output_file_id: output } = await completed(client, (await client.batches.create(order)).id);
    const asked = await requestIds(client, output);
    const each = (Number(before) - Number(await available(gateway))) / LINES;
    expect(each).toBeGreaterThan(0);

    // As a kill leaves it: line 1 was answered and charged but not stored; line 2 was killed while it ran, and so cost nothing.
    const { dataDir } = gateway;
    await gateway.stop({ keepData: true });
    const db = await openEmbeddedAt(dataDir);
    const killed = (asked[1] ?? '').replace(/.{4}$/, '0000');
    await db.query(
      `insert into request_log select * from jsonb_populate_record(null::request_log,
         (select to_jsonb(l) || jsonb_build_object('id', $2::text, 'cost', 0, 'state', 'interrupted') from request_log l where id = $1))`,
      [asked[1], killed],
    );
    await db.query(`update batch_line set state = 'waiting', body = null, status = null where line in (1, 2)`);
    await db.query('update batch_line set request_id = $1 where line = 2', [killed]);
    await db.query(
      `update batch set state = 'in_progress', succeeded = 2, ended_at = null, leased_by = 'dead', leased_until = now() + interval '1 hour'`,
    );
    await db.query(`delete from stored_file where batch_id is not null`);
    await db.close();

    gateway = await startGateway({ vendor, dataDir });
    client = clientOf(gateway);
    const again = await completed(client, id);
    expect(again.request_counts).toEqual({ total: LINES, completed: LINES, failed: 0 });
    const ids = await requestIds(client, again.output_file_id);
    expect(ids[0]).toBe(asked[0]);
    expect(ids[1]).not.toBe(killed);
    expect(vendor.requests).toHaveLength(LINES + 2);
    // The one that was killed is charged now; the one that was charged is not charged again.
    for (let charged = 0; charged !== LINES + 1; await pause(50)) {
      charged = Math.round((Number(before) - Number(await available(gateway))) / each);
      expect(charged).toBeLessThanOrEqual(LINES + 2);
    }
    expect(await wholeProof(gateway.admin)).toMatchObject({ ok: true });
    expect(Math.round((Number(before) - Number(await available(gateway))) / each)).toBe(LINES + 1);
  } finally {
    await gateway.stop();
    await vendor.close();
  }
});
