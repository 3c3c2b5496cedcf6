/** Usage from a day to a day: the days are those of the account's time zone, the last one is not part of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { Browser } from './client.ts';

const DAY = 86_400_000;
const TEHRAN = 3.5 * 3_600_000;

/** Runs as fast as the real one, at a moment that the test chooses. */
class MovedClock implements Clock {
  behindMs = 0;

  moveTo(moment: number): void {
    this.behindMs = Date.now() - moment;
  }

  now(): number {
    return Date.now() - this.behindMs;
  }

  monotonicMs(): number {
    return performance.now();
  }
}

interface Usage {
  from: string;
  to: string;
  data: { start: string; requests: number }[];
  total: { requests: number; cost: string };
}

/** Midnight in Tehran, some days ago, and that day's name. */
const clock = new MovedClock();
const today = Math.floor((Date.now() + TEHRAN) / DAY) * DAY - TEHRAN;
const midnight = (ago: number) => today - ago * DAY;
const dayOf = (ago: number) => new Date(midnight(ago) + TEHRAN).toISOString().slice(0, 10);

let gateway: TestGateway;
let customer: Browser;
let key: string;

async function ask(moment: number, user: string): Promise<void> {
  clock.moveTo(moment);
  const body = { model: 'sandbox/hello', user, messages: [{ role: 'user', content: 'hello' }] };
  expect((await gateway.chat(body, { key })).status).toBe(200);
}

describe('usage of a chosen period', () => {
  beforeAll(async () => {
    clock.moveTo(midnight(6) + 3_600_000);
    gateway = await startGateway({ clock });
    customer = new Browser(gateway);
    const { body } = await customer.signIn('09121119999', { name: 'مینا', account_name: 'period' });
    customer.account = body.accounts[0]?.id;
    key = (await customer.post<{ key: string }>('/keys', { name: 'web' })).body.key;
    await ask(midnight(4) - 60_000, 'late-evening');
    await ask(midnight(4) + 60_000, 'after-midnight');
    await ask(midnight(3) + 43_200_000, 'noon');
    clock.moveTo(midnight(0) + 43_200_000);
    await eventually(async () => {
      const { total } = (await customer.get<Usage>('/usage/series')).body;
      if (total.requests !== 3) throw new Error(`${total.requests} of 3 are counted`);
    });
  });
  afterAll(() => gateway?.stop());

  const series = async (query: string) => (await customer.get<Usage>(`/usage/series?${query}`)).body;

  it('begins with the first day and ends before the last', async () => {
    const one = await series(`from=${dayOf(5)}&to=${dayOf(4)}`);
    expect([one.total.requests, one.data.map(({ requests }) => requests)]).toEqual([1, [1]]);
    const two = await series(`from=${dayOf(4)}&to=${dayOf(2)}`);
    expect(two.data.map(({ start, requests }) => [Date.parse(start), requests])).toEqual([
      [midnight(4), 1],
      [midnight(3), 1],
    ]);
    expect([Date.parse(two.from), Date.parse(two.to)]).toEqual([midnight(4), midnight(2)]);
    expect((await series(`from=${dayOf(2)}&to=${dayOf(0)}`)).total).toMatchObject({ requests: 0, cost: '0' });
  });

  it('splits a day into the hours of the account', async () => {
    const { data } = await series(`from=${dayOf(4)}&to=${dayOf(3)}&interval=hour`);
    expect(data.map(({ requests }) => requests)).toEqual([1, ...Array.from({ length: 23 }, () => 0)]);
  });

  it('breaks the same period down, to the same total', async () => {
    const query = `from=${dayOf(4)}&to=${dayOf(2)}`;
    const { body } = await customer.get<{ data: { value: string }[]; total: object }>(
      `/usage/breakdown?by=user&${query}`,
    );
    expect(body.data.map(({ value }) => value).sort()).toEqual(['after-midnight', 'noon']);
    expect(body.total).toEqual((await series(query)).total);
  });

  it('refuses a period that ends before it begins', async () => {
    const refused = await customer.get<{ error: { param: string } }>(`/usage/series?from=${dayOf(2)}&to=${dayOf(4)}`);
    expect([refused.status, refused.body.error?.param]).toEqual([400, 'from']);
  });

  it('tells the operator the traffic of the last hour, and nothing older', async () => {
    const now = midnight(0) + 43_200_000;
    await ask(now - 7_200_000, 'two-hours-ago');
    await ask(now - 600_000, 'ten-minutes-ago');
    await ask(now, 'just-now');
    await eventually(async () => {
      const traffic = await (await gateway.admin('GET', '/api/admin/traffic')).json();
      expect(traffic).toMatchObject({ requests: 2, failed: 0, refused: 0, requests_per_second: 1 / 60 });
    });
  });
});
