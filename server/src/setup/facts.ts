/** What the database shows of an installation's first steps; every query reads few rows or uses an index. */
import { OPERATOR_ACCOUNT } from '../core/operator-account.ts';
import type { Queryable } from '../platform/db/index.ts';
import { FIRST_PASSWORD_SETTING, REPLACED } from '../platform/operator-token.ts';
import type { Found, ProviderFact } from './setup-rows.ts';
import * as rows from './setup-rows.ts';

export interface OwnerFacts {
  owners: number;
  withSecondFactor: number;
  firstPasswordReplaced: boolean;
}

export async function readOwners(db: Queryable): Promise<OwnerFacts> {
  const { owners, secured, replaced } = await rows.OWNERS.only(db, [FIRST_PASSWORD_SETTING, REPLACED]);
  return { owners, withSecondFactor: secured, firstPasswordReplaced: replaced };
}

export function readRealProviders(db: Queryable): Promise<ProviderFact[]> {
  return rows.REAL_PROVIDERS.rows(db);
}

/** Whether anybody has set a rate, zero included. */
export async function isVatSaid(db: Queryable): Promise<boolean> {
  return (await rows.VAT_SETTING.first(db)) !== undefined;
}

/** Any order that was paid through one of these gateways; the gateway's index finds it. */
export async function findPayment(db: Queryable, gateways: readonly string[]): Promise<Found | undefined> {
  for (const gateway of gateways) {
    const found = await rows.PAID_ORDER_OF_GATEWAY.first(db, [gateway]);
    if (found) return found;
  }
  return undefined;
}

/** An answer that a customer paid for: a day with a charge first, then the request of that account and model by its index. */
export async function findSale(db: Queryable): Promise<Found | undefined> {
  const day = await rows.DAY_WITH_SALE.first(db, [OPERATOR_ACCOUNT]);
  if (!day) return undefined;
  const request = await rows.FIRST_SALE.first(db, [day.account, day.model]);
  // The log keeps requests for a while and the sums of days for ever, so an old sale counts although its receipt is
  // deleted.
  return request ?? { id: '', at: day.day };
}
