/** Requests whose estimate is known to the micro-toman and whose answer costs exactly what was held for it. */
import { answer, type Behaviour, faults, type Gate } from '../fake-vendor/index.ts';

/** 8 tokens in at 15,000 and 16 out at 60,000 micro-toman each. */
const HELD_TOMAN = 1.08;
export const HELD_TOKENS = 24;

const ASK = { model: 'mock/chat', messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 };

const EXACT = { text: 'hello yourself', usage: { input: 8, output: 16 } };

export function exactAnswer(): Behaviour {
  return answer(EXACT);
}

/** The same, not before the gate opens: until then every admitted request keeps its hold. */
export function exactAnswerBehind(gate: Gate): Behaviour {
  return faults.stallBeforeHeaders(gate, EXACT);
}

/** Decimal toman of `count` such requests, without the noise of binary fractions. */
export function tomanFor(count: number): number {
  return Number((count * HELD_TOMAN).toFixed(6));
}

export function ask(origin: string, key: string, more: object = {}, headers: Record<string, string> = {}) {
  return fetch(`${origin}/api/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'accept-language': 'en',
      ...headers,
    },
    body: JSON.stringify({ ...ASK, ...more }),
  });
}

export interface KeyView {
  limits: Record<'requests' | 'tokens' | 'account_requests', { limit: number | null; remaining: number | null }>;
  caps: { scope: string; period: string; limit: string; spent: string; held: string; remaining: string }[];
  wallet: { balance: string; held: string; available: string };
}

export async function keyView(origin: string, key: string): Promise<KeyView> {
  const response = await fetch(`${origin}/api/v1/key`, { headers: { authorization: `Bearer ${key}` } });
  if (response.status !== 200) throw new Error(`/key answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as KeyView;
}
