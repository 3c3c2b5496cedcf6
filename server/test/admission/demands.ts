import type {
  Admission,
  BudgetDemand,
  Demand,
  TakeRequest,
  TakeResult,
  WindowDemand,
} from '../../src/admission/index.ts';
import { money } from '../../src/core/money.ts';

export function requests(id: string, limit: number, name: WindowDemand['name'] = 'key-requests'): WindowDemand {
  return { kind: 'window', name, id: `rpm:${id}`, limit, amount: 1 };
}

export function tokens(id: string, limit: number, amount: number): WindowDemand {
  return { kind: 'window', name: 'key-tokens', id: `tpm:${id}`, limit, amount };
}

export function cap(id: string, limit: bigint): BudgetDemand {
  return { kind: 'budget', name: 'cap', id: `cap:key:${id}:daily:2026-11-15`, limit: money(limit) };
}

export function wallet(id: string): BudgetDemand {
  return { kind: 'budget', name: 'wallet', id: `wallet:${id}`, limit: money(0n) };
}

let serial = 0;

export function request(demands: Demand[], want = 0n, least = want): TakeRequest {
  return { requestId: `req_${++serial}`, demands, money: { want: money(want), least: money(least) } };
}

export async function takeAll(admission: Admission, count: number, make: () => TakeRequest): Promise<TakeResult[]> {
  return Promise.all(Array.from({ length: count }, () => admission.take(make())));
}

export function admitted(results: TakeResult[]): number {
  return results.filter((result) => result.ok).length;
}

export function granted(result: TakeResult): Extract<TakeResult, { ok: true }> {
  if (!result.ok) throw new Error(`refused by ${result.failed.id}`);
  return result;
}

export function refused(result: TakeResult): Extract<TakeResult, { ok: false }> {
  if (result.ok) throw new Error('admitted, although it should not be');
  return result;
}
