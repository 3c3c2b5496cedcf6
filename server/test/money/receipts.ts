/** The customer's own view of a charge, and whether it adds up. */
import { expect } from 'vitest';
import { money, parseToman, toTomanText } from '../../src/core/money.ts';
import type { TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';

export interface Receipt {
  id: string;
  state: string;
  model: string;
  cost: string;
  held: string;
  usage: { prompt_tokens: number; completion_tokens: number; buckets: Record<string, number> } | null;
  usage_source: 'upstream' | 'estimated' | null;
  price: { version: string; lines: { bucket: string; units: number; toman_per_million: string; amount: string }[] };
  formula: string;
  error: { code: string } | null;
}

export async function receiptOf(gateway: Pick<TestGateway, 'fetch'>, response: Response, key?: string) {
  const id = response.headers.get('x-svc-request-id');
  return eventually(async () => {
    const found = await gateway.fetch(`/api/v1/requests/${id}`, key === undefined ? {} : { key });
    expect(found.status).toBe(200);
    const receipt = (await found.json()) as Receipt;
    expect(receipt.state).not.toBe('running');
    return receipt;
  });
}

/** Lines, formula and cost are three ways to say the same. */
export function expectAddsUp({ price, cost, formula }: Receipt): void {
  const sum = price.lines.reduce((total, { units, toman_per_million, amount }) => {
    expect(parseToman(amount)).toBe(BigInt(units) * BigInt(toman_per_million));
    return total + BigInt(units) * BigInt(toman_per_million);
  }, 0n);
  expect(toTomanText(money(sum))).toBe(cost);
  expect(formula.endsWith(`${price.lines.length === 0 ? '' : '= '}${sum} µT`)).toBe(true);
}
