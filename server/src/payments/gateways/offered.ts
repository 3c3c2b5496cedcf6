/** Every gateway we know: which secrets it needs, which options it takes, and how it is built from them. */

import type { Text } from '@dargah/core/text.ts';
import type { Clock } from '../../core/clock.ts';
import type { RandomBytes } from '../../core/ids.ts';
import { type Money, parseToman } from '../../core/money.ts';
import type { Queryable } from '../../platform/db/index.ts';
import type { UpstreamTransport } from '../../platform/upstream/index.ts';
import type { PaymentGateway } from '../gateway.ts';
import { createAsk } from './ask.ts';
import { createBankTransfer, createGiftCodeGateway } from './by-hand.ts';
import { createSandboxBank } from './sandbox-bank.ts';
import { createStripe, STRIPE_URL } from './stripe.ts';
import { createZarinpal, ZARINPAL_URL } from './zarinpal.ts';
import { createZarinpalPanel, ZARINPAL_API_URL } from './zarinpal-panel.ts';
import { createZibal, ZIBAL_URL } from './zibal.ts';

export interface GatewayTools {
  db: Queryable;
  clock: Clock;
  randomBytes: RandomBytes;
  transport: UpstreamTransport;
  /** Toman for one dollar. */
  dollarRate(): Promise<Money>;
}

export interface StoredGateway {
  secrets: Readonly<Record<string, string>>;
  options: Readonly<Record<string, string>>;
}

export interface GatewayKind {
  id: string;
  name: Text;
  /** A gateway is not offered until all of these are set. */
  secrets: readonly string[];
  /** Optional secrets, which enable more of its functions. */
  moreSecrets?: readonly string[];
  /** Optional settings that are not secret. */
  options: readonly string[];
  build(tools: GatewayTools, stored: StoredGateway, origin: string): Promise<PaymentGateway>;
}

const text = (values: Readonly<Record<string, string>>, name: string): string => values[name] ?? '';

export const GATEWAY_KINDS: readonly GatewayKind[] = [
  {
    id: 'zarinpal',
    name: { fa: 'زرین‌پال', en: 'ZarinPal' },
    secrets: ['merchant_id'],
    moreSecrets: ['access_token'],
    options: ['base_url', 'api_url', 'terminal_id', 'refund_method'],
    build: async ({ transport, clock }, { secrets, options }) => {
      const ask = createAsk('zarinpal', transport, clock);
      const accessToken = text(secrets, 'access_token');
      const terminalId = text(options, 'terminal_id');
      const baseUrl = options['api_url'] ?? ZARINPAL_API_URL;
      const refundMethod = options['refund_method'] === 'CARD' ? 'CARD' : 'PAYA';
      const panel =
        accessToken === '' || terminalId === ''
          ? undefined
          : createZarinpalPanel({ ask, accessToken, terminalId, baseUrl, refundMethod });
      const merchantId = text(secrets, 'merchant_id');
      return { ...createZarinpal({ ask, merchantId, baseUrl: options['base_url'] ?? ZARINPAL_URL }), ...panel };
    },
  },
  {
    id: 'zibal',
    name: { fa: 'زیبال', en: 'Zibal' },
    secrets: ['merchant'],
    options: ['base_url'],
    build: async ({ transport, clock }, { secrets, options }) =>
      createZibal({
        ask: createAsk('zibal', transport, clock),
        merchant: text(secrets, 'merchant'),
        baseUrl: options['base_url'] ?? ZIBAL_URL,
      }),
  },
  {
    id: 'stripe',
    name: { fa: 'استرایپ', en: 'Stripe' },
    secrets: ['secret_key', 'webhook_secret'],
    options: ['base_url', 'currency', 'toman_per_unit'],
    build: async ({ transport, clock, dollarRate }, { secrets, options }) =>
      createStripe({
        ask: createAsk('stripe', transport, clock),
        clock,
        secretKey: text(secrets, 'secret_key'),
        webhookSecret: text(secrets, 'webhook_secret'),
        baseUrl: options['base_url'] ?? STRIPE_URL,
        currency: options['currency'] ?? 'usd',
        rate: tomanOf(options['toman_per_unit']) ?? (await dollarRate()),
      }),
  },
  {
    id: 'bank-transfer',
    name: { fa: 'انتقال بانکی', en: 'Bank transfer' },
    secrets: [],
    options: ['instructions'],
    build: async (_tools, { options }) => createBankTransfer({ instructions: text(options, 'instructions') }),
  },
  {
    id: 'gift-code',
    name: { fa: 'کد هدیه', en: 'Gift code' },
    secrets: [],
    options: [],
    build: async () => createGiftCodeGateway(),
  },
  {
    id: 'sandbox',
    name: { fa: 'بانک آزمایشی', en: 'Sandbox bank' },
    secrets: [],
    options: [],
    build: async ({ db, clock, randomBytes }, _stored, origin) =>
      createSandboxBank({ db, clock, randomBytes, pageOf: (id) => `${origin}/sandbox-bank/${id}` }),
  },
];

function tomanOf(value: string | undefined): Money | undefined {
  const amount = value === undefined ? undefined : parseToman(value);
  return amount !== undefined && amount > 0n ? amount : undefined;
}
