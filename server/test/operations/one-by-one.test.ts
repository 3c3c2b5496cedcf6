/** Processes are replaced one by one behind the shipped nginx: nobody sees an error, and nothing is asked of a provider twice. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exactAnswer } from '../money/fixed-price.ts';
import { type ReplicaFleet, servicesMissing, startFleet } from '../money/replica-fleet.ts';
import { eventually } from '../services/eventually.ts';
import { type Nginx, nginxMissing, startNginx } from '../services/nginx.ts';

const KEY = 'dg-one-by-one';
const CUSTOMERS = 8;

describe.skipIf([servicesMissing(), nginxMissing()].includes(true))('a process that is told to end', () => {
  let fleet: ReplicaFleet;
  let nginx: Nginx;
  beforeAll(async () => {
    fleet = await startFleet({
      replicas: 2,
      accounts: [{ id: 'calm', name: 'Calm', balance: 1_000_000, keys: [{ id: 'calm', key: KEY }] }],
    });
    fleet.vendor.always(exactAnswer());
    const [first, second] = fleet.replicas.map(({ origin }) => Number(new URL(origin).port)) as [number, number];
    nginx = await startNginx([first, second]);
  }, 300_000);
  afterAll(async () => {
    await nginx?.stop();
    await fleet?.end();
  });

  it('is left by the proxy without an error, while eight customers ask on', { timeout: 240_000 }, async () => {
    const answers: number[] = [];
    let asking = true;
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const ask = async (stream: boolean) => {
      const body = { model: 'mock/chat', max_tokens: 10, messages: [{ role: 'user', content: 'hello' }], stream };
      const { status, text } = await nginx.post('/api/v1/chat/completions', JSON.stringify(body), headers);
      if (status === 200 && stream) expect(text).toMatch(/\[DONE\]\n\n$/);
      answers.push(status);
    };
    const customers = Array.from({ length: CUSTOMERS }, async (_, customer) => {
      while (asking) await ask(customer % 2 === 0);
    });
    const more = (count: number) => {
      const wanted = answers.length + count;
      return eventually(() => expect(answers.length).toBeGreaterThanOrEqual(wanted));
    };
    await more(80);
    await fleet.replicas[0]?.stop();
    await more(80);
    asking = false;
    await Promise.all(customers);
    expect(
      answers.filter((status) => status !== 200),
      nginx.said(),
    ).toEqual([]);
    expect(fleet.vendor.requests.length).toBe(answers.length);
  });
});
