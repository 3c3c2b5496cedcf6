/** The bound on refused requests: what counts in it, and what ends it. */
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryAdmission } from '../../src/admission/index.ts';
import type { ErrorCode } from '../../src/core/error-registry.ts';
import { GatewayError } from '../../src/core/errors.ts';
import { RefusalCounts, recordRefusal } from '../../src/gateway/index.ts';
import { answer } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';

const MAX = 12;
const ACCOUNTS = ['poor', 'capped', 'slow', 'limited'];

describe('a key that was refused too often', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const settings = { refusals_per_minute: MAX, max_event_loop_lag_ms: 600_000 };
    gateway = await startGateway({ config: { settings } });
    for (const id of ACCOUNTS) {
      await gateway.admin('POST', '/api/admin/accounts', { id, name: id });
      if (id !== 'poor') await topUp(id);
    }
    gateway.vendor.always(answer('here you are'));
  }, 120_000);
  afterAll(() => gateway?.stop());

  const topUp = async (account: string) => {
    const transfer = { id: `fill-${account}`, kind: 'top-up', amount: 1_000 };
    const made = await gateway.admin('POST', `/api/admin/accounts/${account}/transfers`, transfer);
    expect(made.status, await made.text()).toBe(201);
  };
  const makeKey = async (account: string, rules: object): Promise<{ id: string; key: string }> => {
    const made = await gateway.admin('POST', '/api/admin/keys', { account_id: account, name: account, rules });
    expect(made.status).toBeLessThan(300);
    return (await made.json()) as { id: string; key: string };
  };
  const ask = async (key: string) => {
    const body = { model: 'mock/chat', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
    const response = await gateway.chat(body, { key });
    return { status: response.status, body: (await response.json()) as { error?: Record<string, unknown> } };
  };
  /** The change may be on its way to the counters for a moment; the refusals must be forgotten with it, not after their minute. */
  const isAnsweredAtOnce = async (key: string) => {
    expect((await ask(key)).body.error?.['limit']).not.toBe('refusals');
    await eventually(async () => expect((await ask(key)).status).toBe(200));
  };
  const untilRefusalsRefuse = async (key: string) => {
    for (let tries = 0; tries <= 2 * MAX; tries++) {
      const { body } = await ask(key);
      if (body.error?.['limit'] === 'refusals') return body.error;
    }
    throw new Error('the bound was never reached');
  };

  it('is told a whole number of milliseconds, and is answered at once when its wallet was topped up', async () => {
    const { key } = await makeKey('poor', {});
    const refusal = await untilRefusalsRefuse(key);
    expect(Number.isInteger(refusal['retry_after_ms'])).toBe(true);
    await topUp('poor');
    await isAnsweredAtOnce(key);
  });

  it.each([
    ['capped', { caps: { daily: 0 } }, { caps: { daily: 500 } }],
    ['slow', { rpm: 1 }, { rpm: 1_000 }],
  ])('is answered at once when its limit was raised (%s)', async (account, rules, raised) => {
    const { id, key } = await makeKey(account, rules);
    await untilRefusalsRefuse(key);
    const changed = await gateway.admin('PATCH', `/api/admin/keys/${id}`, { rules: raised });
    expect(changed.status, await changed.text()).toBe(200);
    await isAnsweredAtOnce(key);
  });

  it('is answered at once when a rule of its account was raised', async () => {
    const { key } = await makeKey('limited', {});
    await gateway.admin('PATCH', '/api/admin/accounts/limited', { rules: { rpm: 1 } });
    await untilRefusalsRefuse(key);
    await gateway.admin('PATCH', '/api/admin/accounts/limited', { rules: { rpm: 1_000 } });
    await isAnsweredAtOnce(key);
  });
});

describe('refusals', () => {
  const clock = { now: () => 0, monotonicMs: () => 0 };
  const key = { id: 'k', account: { id: 'acme' } };
  const replica = (admission = createMemoryAdmission({ clock, loadPosted: async () => new Map() })) => {
    const rows: unknown[] = [];
    const journal = { depth: () => 0, close: async (row: unknown) => void rows.push(row) };
    const refusals = new RefusalCounts(MAX, clock);
    return { refusals, admission, clock, journal, rows, metrics: { refused: () => undefined } };
  };
  const refuse = async (gw: object, code: ErrorCode, times = 1) => {
    for (let at = 0; at < times; at++) {
      const call = { id: 'req_1', endpoint: 'responses', startedMs: 0, receivedAt: 0, metadata: { key, warnings: [] } };
      recordRefusal(call as never, new GatewayError(code), gw as never);
    }
    await setImmediate();
  };

  it.each(['overloaded', 'internal_error', 'upstream_error', 'upstream_timeout'] as const)(
    'of our own making (%s) are not held against the key, and still get few rows',
    async (code) => {
      const gw = replica();
      await refuse(gw, code, 10 * MAX);
      expect(gw.refusals.waitOf('k')).toBeUndefined();
      expect(gw.rows).toHaveLength(10);
      // Nor in the window that replicas share: the caller's own refusals have all of it.
      await refuse(gw, 'insufficient_balance', MAX - 1);
      expect(gw.refusals.waitOf('k')).toBeUndefined();
      await refuse(gw, 'insufficient_balance');
      expect(gw.refusals.waitOf('k')).toBe(60_000);
    },
  );

  it('of a rate are not held against the key while this replica is cut off from Redis', async () => {
    const shared = createMemoryAdmission({ clock, loadPosted: async () => new Map() });
    const cutOff = Object.assign(Object.create(shared) as typeof shared, {
      health: () => ({ mode: 'degraded', replicas: 2 }) as const,
    });
    const gw = replica(cutOff);
    await refuse(gw, 'rate_limited', 2 * MAX);
    expect(gw.refusals.waitOf('k')).toBeUndefined();
  });

  it('are forgotten on every replica by a change of the key, its account or its money', async () => {
    const admission = createMemoryAdmission({ clock, loadPosted: async () => new Map() });
    const [one, two] = [replica(admission), replica(admission)];
    for (const change of [
      (counts: RefusalCounts) => counts.keyChanged('k'),
      (counts: RefusalCounts) => counts.accountChanged('acme'),
      (counts: RefusalCounts) => counts.anythingChanged(),
    ]) {
      await refuse(one, 'insufficient_balance', 2 * MAX);
      expect(one.refusals.waitOf('k')).toBe(60_000);
      for (const { refusals } of [one, two]) change(refusals);
      expect(one.refusals.waitOf('k')).toBeUndefined();
      // What all replicas counted before is still in their window; one more refusal must not bring it back.
      for (const gw of [one, two]) {
        await refuse(gw, 'insufficient_balance');
        expect(gw.refusals.waitOf('k')).toBeUndefined();
      }
    }
    one.refusals.keyChanged('other');
    await refuse(one, 'insufficient_balance', MAX);
    expect(one.refusals.waitOf('k')).toBe(60_000);
  });
});
