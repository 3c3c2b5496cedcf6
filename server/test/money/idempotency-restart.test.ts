/** A single gateway with its embedded database: what was answered under an `Idempotency-Key` before a restart is not charged after it. */
import { expect, it } from 'vitest';
import { startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { ask, keyView } from './fixed-price.ts';

const KINDS = [{}, { stream: true, stream_options: { include_usage: true } }];

function sendAll(gateway: TestGateway) {
  const send = async (more: object, i: number) => {
    const response = await ask(gateway.origin, gateway.key, more, { 'idempotency-key': `over the restart ${i}` });
    return { text: await response.text(), headers: response.headers };
  };
  return Promise.all(KINDS.map(send));
}

const available = async ({ origin, key }: TestGateway) => (await keyView(origin, key)).wallet.available;

it('the same keys after a restart, whole and streamed: the same bytes and no second charge', async () => {
  const vendor = await startFakeVendor();
  let gateway = await startGateway({ vendor });
  try {
    const first = await sendAll(gateway);
    const left = await available(gateway);
    const { dataDir } = gateway;
    await gateway.stop({ keepData: true });
    gateway = await startGateway({ vendor, dataDir });
    for (const [i, { text, headers }] of (await sendAll(gateway)).entries()) {
      expect(text).toBe(first[i]?.text);
      expect(headers.get('x-svc-idempotent-replay')).toBe('true');
      expect(headers.get('x-svc-original-request-id')).toBe(first[i]?.headers.get('x-svc-request-id'));
    }
    expect(vendor.requests).toHaveLength(KINDS.length);
    expect(await available(gateway)).toBe(left);
  } finally {
    await gateway.stop();
    await vendor.close();
  }
});
