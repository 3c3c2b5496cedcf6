import type {
  Admission,
  BudgetCheck,
  LimitCheck,
  ReserveRequest,
  ReserveResult,
  WindowCheck,
} from '../../src/admission/index.ts';
import { money } from '../../src/core/money.ts';

/** Whose counters they are, whatever their names. */
const HOME = 'a';

export function requests(id: string, limit: number, name: WindowCheck['name'] = 'key-requests'): WindowCheck {
  return { kind: 'window', name, id: `rpm:${id}`, home: HOME, limit, amount: 1 };
}

export function tokens(id: string, limit: number, amount: number): WindowCheck {
  return { kind: 'window', name: 'key-tokens', id: `tpm:${id}`, home: HOME, limit, amount };
}

export function cap(id: string, limit: bigint): BudgetCheck {
  return { kind: 'budget', name: 'cap', id: `cap:key:${id}:daily:2026-11-15`, home: HOME, limit: money(limit) };
}

export function wallet(id: string): BudgetCheck {
  return { kind: 'budget', name: 'wallet', id: `wallet:${id}`, home: HOME, limit: money(0n) };
}

let serial = 0;

export function request(checks: LimitCheck[], want = 0n, least = want): ReserveRequest {
  return { requestId: `req_${++serial}`, checks, money: { want: money(want), least: money(least) } };
}

export async function reserveAll(
  admission: Admission,
  count: number,
  make: () => ReserveRequest,
): Promise<ReserveResult[]> {
  return Promise.all(Array.from({ length: count }, () => admission.reserve(make())));
}

export function admitted(results: ReserveResult[]): number {
  return results.filter((result) => result.ok).length;
}

export function granted(result: ReserveResult): Extract<ReserveResult, { ok: true }> {
  if (!result.ok) throw new Error(`refused by ${result.failed.id}`);
  return result;
}

export function refused(result: ReserveResult): Extract<ReserveResult, { ok: false }> {
  if (result.ok) throw new Error('admitted, although it should not be');
  return result;
}
