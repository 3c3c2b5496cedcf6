/**
 * Gift codes: made in bulk, shown once, stored as digests, used once. A redeemed code is an order that is paid from the
 * start.
 */

import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { type Money, money, toTomanText, ZERO } from '../core/money.ts';
import { reasons } from '../core/reasons.ts';
import { noSuch, refuseCursor } from '../keys/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage, toPage } from '../platform/db/pages.ts';
import { inToman, isWholeToman } from './amounts.ts';
import type { GatewayDirectory } from './gateway-directory.ts';
import type { GiftCode } from './gift-code-rows.ts';
import { GIFT_CODES, INSERT_GIFT_CODES, REDEEM_GIFT, REVOKE_GIFT, toGiftCode, USABLE_GIFT } from './gift-code-rows.ts';
import type { Order } from './order.ts';
import { insertOrder } from './order-moves.ts';
import * as rows from './order-rows.ts';
import { paymentReasons } from './reasons.ts';
import type { OrderSettlement } from './settle.ts';

export interface NewGiftCodes {
  count: number;
  amount: Money;
  expiresAt?: Date | undefined;
  note?: string | undefined;
}

/** Called in the transaction that makes codes, with their total value; it refuses them by throwing. */
export type BesideGifts = (tx: Queryable, made: { batch: string; worth: Money }) => Promise<void>;

export interface GiftCodes {
  /** Makes codes. Only this answer contains their texts. */
  make(wanted: NewGiftCodes, actor: string, alongside?: BesideGifts): Promise<{ batch: string; codes: string[] }>;
  redeem(code: string, accountId: string, by: string): Promise<Order>;
  revoke(id: string, actor: string): Promise<void>;
  list(page: PageRequest): Promise<Page<GiftCode>>;
}

export interface GiftCodesOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  settlement: OrderSettlement;
  gateways: Pick<GatewayDirectory, 'find'>;
}

const GATEWAY = 'gift-code';
const MAX_AT_ONCE = 10_000;
/** Letters that look like digits are left out. 20 of these are 100 bits, which nobody can guess. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const LENGTH = 20;

export function createGiftCodes(options: GiftCodesOptions): GiftCodes {
  const { db, clock, randomBytes, settlement, gateways } = options;
  const changed = createChangeRecorder(options, 'gift_code');
  return {
    async make({ count, amount, expiresAt, note }, actor, alongside) {
      if (!Number.isInteger(count) || count < 1 || count > MAX_AT_ONCE)
        throw invalidRequest('count', reasons.mustBe('count', expected.between(1, MAX_AT_ONCE)));
      if (amount <= ZERO || !isWholeToman(amount))
        throw invalidRequest('amount', reasons.mustBe('amount', expected.tomanAboveZero));
      const nowMs = clock.now();
      if (expiresAt && expiresAt.getTime() <= nowMs) throw invalidRequest('expires_at', paymentReasons.alreadyOver);
      const batch = makeId('gifts', nowMs, randomBytes);
      const codes = Array.from({ length: count }, () => makeCode(randomBytes));
      const ids = codes.map(() => makeId('gift', nowMs, randomBytes));
      await db.transaction(async (tx) => {
        await INSERT_GIFT_CODES.run(tx, [
          ids,
          codes.map((code) => digestOf(code).toString('hex')),
          batch,
          String(amount),
          note ?? null,
          expiresAt ?? null,
          actor,
          new Date(nowMs),
          codes.map((code) => code.slice(-4)),
        ]);
        await changed(tx, actor, 'gift_code.make', batch, { count, amount: toTomanText(amount), note });
        await alongside?.(tx, { batch, worth: money(amount * BigInt(count)) });
      });
      return { batch, codes };
    },
    async redeem(code, accountId, by) {
      if (!(await gateways.find(GATEWAY))) throw invalidRequest('code', paymentReasons.gatewayUnavailable(GATEWAY));
      const order = await db.transaction(async (tx) => {
        const now = new Date(clock.now());
        const gift = await USABLE_GIFT.first(tx, [digestOf(code), now]);
        if (!gift) throw new GatewayError('not_found', { param: 'code', reason: paymentReasons.giftCodeNotUsable });
        const made = orderOf({ gift, accountId, by, now, randomBytes });
        await insertOrder(db, made, `gift:${gift.id}`, tx);
        await REDEEM_GIFT.run(tx, [gift.id, made.id, now]);
        return made;
      });
      await settlement.check(order.id, GATEWAY);
      return (await rows.selectOrder(db, order.id)) ?? order;
    },
    revoke: (id, actor) =>
      db.transaction(async (tx) => {
        const row = await REVOKE_GIFT.first(tx, [id, new Date(clock.now())]);
        if (!row) return noSuch('gift code', id);
        await changed(tx, actor, 'gift_code.revoke', id, {});
      }),
    async list(page) {
      const start = startOfPage(page) ?? refuseCursor();
      const found = await GIFT_CODES.rows(db, [start.time, start.id, start.fetch]);
      const nowMs = clock.now();
      const codes = found.map((row) => toGiftCode(row, nowMs));
      return toPage(codes, start, ({ createdAt, id }) => ({ time: createdAt, id }));
    },
  };
}

interface Redemption {
  gift: { id: string; amount: string };
  accountId: string;
  by: string;
  now: Date;
  randomBytes: RandomBytes;
}

function orderOf({ gift, accountId, by, now, randomBytes }: Redemption): Order {
  const amount = money(BigInt(gift.amount));
  return {
    id: makeId('ord', now.getTime(), randomBytes),
    accountId,
    gateway: GATEWAY,
    amount,
    vat: ZERO,
    payable: inToman(amount),
    state: 'paid',
    externalId: gift.id,
    redirectUrl: null,
    reference: gift.id,
    card: null,
    problem: null,
    createdBy: by,
    language: 'fa',
    checks: 0,
    expiresAt: now,
    createdAt: now,
    updatedAt: now,
    refunds: 0,
    refund: null,
    bank: null,
    fee: null,
    refundFrom: null,
    takenInParts: ZERO,
    partWaits: false,
  };
}

/** A code looks like `XXXXX-XXXXX-XXXXX-XXXXX`. */
function makeCode(randomBytes: RandomBytes): string {
  const letters = Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte & 31] as string).join('');
  return letters.replace(/(.{5})(?=.)/g, '$1-');
}

/** People type codes with or without dashes, and in lower case too. */
function digestOf(code: string): Buffer {
  const plain = code.toUpperCase().replace(/[^0-9A-Z]/g, '');
  return createHash('sha256').update(`gift:${plain}`).digest();
}
