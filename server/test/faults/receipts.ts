import type { TestGateway } from '../harness/start-gateway.ts';

export interface Receipt {
  state: string;
  cost: string;
  held: string;
  status: number;
  model: string;
  error: { code: string } | null;
  usage_source: string | null;
  plan: string[];
  first_event_ms: number | null;
  duration_ms: number;
  attempts: ReceiptAttempt[];
}

export interface ReceiptAttempt {
  provider: string;
  outcome: string;
  status: number | null;
  started_at: string;
  first_event_ms: number | null;
  duration_ms: number;
  cause?: string | null;
  credential?: string;
  provider_cost?: string;
}

/** As the operator sees it: customers are not told who supplied the answer. */
export async function receiptOf(gateway: TestGateway, requestId: string): Promise<Receipt> {
  const response = await gateway.admin('GET', `/api/admin/requests/${requestId}`);
  if (response.status !== 200) throw new Error(`no receipt of ${requestId}: ${response.status}`);
  return (await response.json()) as Receipt;
}

export async function customerReceiptOf(gateway: TestGateway, requestId: string): Promise<Receipt> {
  const response = await gateway.fetch(`/api/v1/requests/${requestId}`);
  if (response.status !== 200) throw new Error(`no receipt of ${requestId} for its customer: ${response.status}`);
  return (await response.json()) as Receipt;
}

export async function walletOf(gateway: TestGateway): Promise<{ balance: string; held: string }> {
  const response = await gateway.fetch('/api/v1/key');
  return ((await response.json()) as { wallet: { balance: string; held: string } }).wallet;
}

/** Toman as exact micro-toman. */
export function micro(toman: string): bigint {
  const [whole = '0', part = ''] = toman.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, '0') || '0');
}
