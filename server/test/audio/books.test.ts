/** What audio cost is in the books: one transfer per charged request, none for the others, nothing left held. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { faults, json } from '../fake-vendor/index.ts';
import type { TestGateway } from '../harness/start-gateway.ts';
import { wholeProof } from '../harness/whole-proof.ts';
import { eventually } from '../services/eventually.ts';
import { startAudioGateway } from './audio-gateway.ts';
import { wav } from './sounds.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startAudioGateway();
});
afterAll(() => gateway.stop());

interface Transfers {
  data: { kind: string; amount: string; request_id: string | null }[];
  wallet: { balance: string; held: string };
}

const say = (input: string) =>
  gateway.fetch('/api/v1/audio/speech', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'mock/tts', input, voice: 'alloy' }),
  });

function hear(seconds: number) {
  const form = new FormData();
  form.append('file', new File([wav(seconds)], 'a.wav'));
  form.append('model', 'mock/stt');
  return gateway.fetch('/api/v1/audio/transcriptions', { method: 'POST', body: form });
}

/** The request's id and what its books must say, in toman; undefined where nothing may be charged. */
async function taken(response: Response, cost: string | undefined): Promise<[string, string | undefined]> {
  await response.arrayBuffer();
  return [response.headers.get('x-svc-request-id') ?? '', cost];
}

it('balances', async () => {
  const expected = new Map<string, string | undefined>();
  const add = ([id, cost]: [string, string | undefined]) => expected.set(id, cost);
  add(await taken(await say('hello'), '-7.5'));
  add(await taken(await hear(4.2), '-30'));
  gateway.vendor.next(json(200, { text: 'x' }));
  add(await taken(await hear(4.2), '-50'));
  add(await taken(await say(''), undefined));
  gateway.vendor.next(faults.failWith(400));
  add(await taken(await hear(2), undefined));
  gateway.vendor.next(faults.failWith(500), faults.failWith(500));
  add(await taken(await say('hello'), undefined));

  await eventually(async () => {
    const answer = await gateway.admin('GET', '/api/admin/accounts/acme/transfers');
    const { data, wallet } = (await answer.json()) as Transfers;
    const charges = data.filter(({ kind }) => kind === 'charge');
    expect(new Map(charges.map(({ request_id, amount }) => [request_id, amount]))).toEqual(
      new Map([...expected].filter(([, cost]) => cost !== undefined)),
    );
    expect(wallet).toMatchObject({ balance: '99912.5', held: '0' });
  });
  expect(await wholeProof(gateway.admin)).toMatchObject({ ok: true });
});
