/**
 * Processes are restarted one by one behind the shipped nginx and Caddy, under half of the load that one of them carries: nobody
 * sees an error, and nothing is asked of a provider twice. `ROLLING=20000x10` is the whole: requests, and restarts among them.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { exactAnswer } from '../money/fixed-price.ts';
import { type ReplicaFleet, servicesMissing, startFleet } from '../money/replica-fleet.ts';
import { startCaddy } from '../services/caddy.ts';
import { eventually } from '../services/eventually.ts';
import { nginxMissing, startNginx } from '../services/nginx.ts';
import { programMissing } from '../services/programs.ts';
import type { FrontProxy } from '../services/proxy.ts';

const [REQUESTS = 1_000, RESTARTS = 2] = (process.env['ROLLING'] ?? '').split('x').filter(Boolean).map(Number);
const KEY = 'dg-one-by-one';
const CUSTOMERS = 16;
const MEASURED = 400;
const HOUR_MS = 3_600_000;

const bodyOf = (stream: boolean) =>
  JSON.stringify({ model: 'mock/chat', max_tokens: 10, messages: [{ role: 'user', content: 'hello' }], stream });
const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };

/** Requests a second that one replica answers to customers who ask again as soon as they are answered. */
async function carriedBy(origin: string): Promise<number> {
  let asked = 0;
  const startedMs = systemClock.monotonicMs();
  const customers = Array.from({ length: CUSTOMERS }, async () => {
    while (asked++ < MEASURED) {
      const reply = await fetch(`${origin}/api/v1/chat/completions`, {
        method: 'POST',
        headers,
        body: bodyOf(asked % 2 === 0),
      });
      await reply.text();
    }
  });
  await Promise.all(customers);
  return (MEASURED * 1_000) / (systemClock.monotonicMs() - startedMs);
}

/** Customers who ask so many times a second, answered or not. */
class SteadyLoad {
  readonly failed: string[] = [];
  sent = 0;
  answered = 0;
  readonly #proxy: FrontProxy;
  readonly #timer: NodeJS.Timeout;

  constructor(proxy: FrontProxy, perSecond: number) {
    this.#proxy = proxy;
    this.#timer = setInterval(() => void this.#ask(), 1_000 / perSecond);
  }

  async #ask(): Promise<void> {
    const stream = this.sent++ % 2 === 0;
    try {
      const { status, text } = await this.#proxy.post('/api/v1/chat/completions', bodyOf(stream), headers);
      const whole = status === 200 && (!stream || text.endsWith('[DONE]\n\n'));
      if (!whole) this.failed.push(`${status} ${text.slice(0, 200)}`);
    } catch (error) {
      this.failed.push(String(error));
    }
    this.answered++;
  }

  /** Waits until so many were answered in all. */
  until(count: number): Promise<void> {
    return vi.waitFor(() => expect(this.answered).toBeGreaterThanOrEqual(count), { timeout: HOUR_MS, interval: 10 });
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await eventually(() => expect(this.answered).toBe(this.sent));
  }
}

const PROXIES = [
  { name: 'nginx', missing: nginxMissing(), start: startNginx },
  { name: 'Caddy', missing: programMissing('caddy'), start: startCaddy },
];

describe.skipIf(servicesMissing())('processes that are restarted one by one', () => {
  let fleet: ReplicaFleet;
  let addresses: [string, string];
  beforeAll(async () => {
    fleet = await startFleet({
      replicas: 2,
      fixedPort: true,
      accounts: [{ id: 'calm', name: 'Calm', balance: 100_000_000, keys: [{ id: 'calm', key: KEY }] }],
    });
    fleet.vendor.always(exactAnswer());
    addresses = fleet.replicas.map(({ origin }) => new URL(origin).host) as [string, string];
  }, 300_000);
  afterAll(() => fleet?.end());

  it.each(PROXIES)('show nobody an error behind $name', { timeout: HOUR_MS }, async ({ missing, name, start }) => {
    if (missing) return;
    const carried = await carriedBy(fleet.replicas[0]?.origin ?? '');
    const askedBefore = fleet.vendor.requests.length;
    const proxy = await start(addresses);
    const load = new SteadyLoad(proxy, carried / 2);
    try {
      for (let restart = 1; restart <= RESTARTS; restart++) {
        await load.until((REQUESTS * (restart - 1)) / RESTARTS);
        const replica = fleet.replicas[restart % 2];
        await replica?.stop();
        await replica?.start();
      }
      await load.until(REQUESTS);
      await load.stop();
    } finally {
      await proxy.stop();
    }
    const told = `${name}: ${load.failed.length} of ${load.sent} failed over ${RESTARTS} restarts, at half of ${carried.toFixed(0)}/s`;
    if (process.env['ROLLING']) console.info(told);
    expect(load.failed, `${told}\n${proxy.said().slice(-5_000)}`).toEqual([]);
    expect(fleet.vendor.requests.length - askedBefore).toBe(load.sent);
  });
});
