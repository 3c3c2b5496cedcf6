/**
 * 200 requests at once against room for a few: exactly as many as fit are admitted, whichever limit it is, and the books
 * agree. Providers answer only when everybody has been decided on, so that no settled request makes room for another.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuditReport } from '../../src/ledger/index.ts';
import { createGate, type FakeVendor } from '../fake-vendor/index.ts';
import { eventually } from '../services/eventually.ts';
import { ask, exactAnswerBehind, HELD_TOKENS, keyView, tomanFor } from './fixed-price.ts';

export interface Stage {
  vendor: FakeVendor;
  origins: string[];
  /** May be called once, at the end. */
  audit(): Promise<AuditReport>;
  /** What the gateways logged, for whoever reads a failure. */
  said(): string;
  end(): Promise<void>;
}

const PARALLEL = 200;
const RICH = 1_000;

interface Limit {
  name: string;
  /** Of 200. */
  admitted: number;
  status: number;
  code: string;
  detail: object;
  balance: number;
  account?: object;
  key?: object;
  /** Two keys spend from it; whoever opens the stage declares it. */
  budget?: true;
}

const caps = (['daily', 'monthly', 'total'] as const).flatMap((period): Limit[] => {
  const common = { admitted: 10, status: 402, code: 'spend_cap_reached', balance: RICH };
  const rules = { caps: { [period]: tomanFor(10) } };
  return [
    { ...common, name: `key-${period}`, detail: { cap: `key.${period}` }, key: rules },
    { ...common, name: `account-${period}`, detail: { cap: `account.${period}` }, account: rules },
  ];
});

const rate = { status: 429, code: 'rate_limited', balance: RICH };
export const LIMITS: Limit[] = [
  {
    name: 'wallet',
    admitted: 10,
    status: 402,
    code: 'insufficient_balance',
    detail: { missing_toman: String(tomanFor(1)), affordable_tokens: 0 },
    balance: tomanFor(10),
  },
  ...caps,
  { ...rate, name: 'key-rpm', admitted: 50, detail: { limit: 'rpm' }, key: { rpm: 50 } },
  { ...rate, name: 'account-rpm', admitted: 50, detail: { limit: 'account_rpm' }, account: { rpm: 50 } },
  { ...rate, name: 'key-tpm', admitted: 10, detail: { limit: 'tpm' }, key: { tpm: 10 * HELD_TOKENS } },
];

/** A budget over two keys. The configuration declares none, so it stands apart. */
export const BUDGET: Limit = {
  name: 'budget-daily',
  admitted: 10,
  status: 402,
  code: 'spend_cap_reached',
  detail: { cap: 'budget.daily', cap_budget: 'together' },
  balance: RICH,
  budget: true,
};

/** One account per limit, with two keys where the limit is the account's: both share it. */
export const LIMITED_ACCOUNTS = [...LIMITS, BUDGET].map(({ name, balance, account, key, budget }) => ({
  id: name,
  name,
  balance,
  ...(account ? { rules: account } : {}),
  keys: keysOf(name, account !== undefined || budget === true).map((text) => ({
    id: text.slice('dg-'.length),
    key: text,
    ...(key ? { rules: key } : {}),
  })),
}));

function keysOf(name: string, shared: boolean): string[] {
  return shared ? [`dg-${name}-one`, `dg-${name}-two`] : [`dg-${name}-one`];
}

export function exactLimits(place: string, open: () => Promise<Stage>, limits: readonly Limit[] = LIMITS): void {
  describe(`200 at once, ${place}`, () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await open();
    });
    afterAll(() => stage?.end());
    beforeEach(() => stage.vendor.reset());

    it.each(limits)('$name admits exactly $admitted', async (limit) => {
      const gate = createGate();
      stage.vendor.always(exactAnswerBehind(gate));
      const keys = keysOf(limit.name, limit.account !== undefined || limit.budget === true);
      let refused = 0;
      const all = Array.from({ length: PARALLEL }, async (_, i) => {
        const response = await ask(pick(stage.origins, i), pick(keys, i));
        if (response.status !== 200) refused++;
        return { status: response.status, body: (await response.json()) as { error?: object; usage?: object } };
      });
      await eventually(() => {
        expect(refused).toBe(PARALLEL - limit.admitted);
        expect(stage.vendor.requests.length).toBe(limit.admitted);
      });
      gate.open();
      const answers = await Promise.all(all);
      const good = answers.filter(({ status }) => status === 200);
      expect(good.length).toBe(limit.admitted);
      for (const { body } of good) expect(body.usage).toMatchObject({ cost: tomanFor(1) });
      for (const { status, body } of answers) {
        if (status === 200) continue;
        expect({ status, ...body.error }, stage.said()).toMatchObject({
          status: limit.status,
          code: limit.code,
          ...limit.detail,
        });
      }
      await expectSpent(stage, keys[0] as string, limit);
    });

    it('and the books balance', async () => {
      expect(await stage.audit()).toMatchObject({ ok: true });
    });
  });
}

async function expectSpent(stage: Stage, key: string, { balance, admitted }: Limit): Promise<void> {
  const left = (Math.round(balance * 1e6) - Math.round(tomanFor(admitted) * 1e6)) / 1e6;
  // From whichever replica: what was spent is posted in the background.
  for (const origin of stage.origins) {
    await eventually(async () => {
      const view = await keyView(origin, key);
      expect(view.wallet).toEqual({ balance: String(left), held: '0', available: String(left) });
      for (const cap of view.caps) expect(cap).toMatchObject({ spent: String(tomanFor(admitted)), held: '0' });
    });
  }
}

function pick<T>(from: T[], index: number): T {
  return from[index % from.length] as T;
}
