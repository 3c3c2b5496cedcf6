/** Signatures of Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`, under a secret that begins with `whsec_`. */
import { createHmac } from 'node:crypto';
import type { RandomBytes } from '../core/ids.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export function makeWebhookSecret(randomBytes: RandomBytes): string {
  return PREFIX + Buffer.from(randomBytes(SECRET_BYTES)).toString('base64');
}

export interface SignedMessage {
  id: string;
  /** In seconds. */
  at: number;
  body: string;
}

export function webhookHeaders(secret: string, { id, at, body }: SignedMessage): Record<string, string> {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': `v1,${signature}`,
  };
}
