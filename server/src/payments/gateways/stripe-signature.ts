/** Stripe's signature over a message: `t=<seconds>,v1=<hex>`, HMAC-SHA256 over `<t>.<body>` by the raw bytes. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Older messages are refused, so that an intercepted one cannot be sent again later. */
const TOLERANCE_S = 300;

export function isSignedByStripe(body: Buffer, header: string | undefined, secret: string, nowMs: number): boolean {
  if (header === undefined || secret === '') return false;
  const parts = header.split(',').map((part) => part.trim().split('='));
  const at = Number(parts.find(([name]) => name === 't')?.[1]);
  if (!Number.isInteger(at) || Math.abs(nowMs / 1000 - at) > TOLERANCE_S) return false;
  const expected = createHmac('sha256', secret).update(`${at}.`).update(body).digest();
  return parts.some(([name, value = '']) => {
    if (name !== 'v1' || !/^[0-9a-f]{64}$/.test(value)) return false;
    return timingSafeEqual(Buffer.from(value, 'hex'), expected);
  });
}
