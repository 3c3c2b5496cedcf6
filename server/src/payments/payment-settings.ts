/** Settings of payments: the seller, the tax, and what a chargeback does. Orders and invoices are made by them. */

import { invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import { reasons } from '../core/reasons.ts';
import type { Queryable } from '../platform/db/index.ts';
import type { SettingStore } from '../platform/setting-store.ts';
import type { InvoiceSettings } from './invoices/invoices.ts';
import { type IdentityInput, identityJson, readIdentity, storedIdentity } from './invoices/legal-identity.ts';
import { SETTINGS_NAMED } from './payment-setting-rows.ts';

export interface PaymentSettings extends InvoiceSettings {
  pauseOnChargeback: boolean;
}

export interface PaymentSettingsChange {
  seller?: IdentityInput | undefined;
  /** A percentage such as `10` or `9.5`. */
  vatPercent?: string | undefined;
  pauseOnChargeback?: boolean | undefined;
}

const SELLER = 'invoice_seller';
const VAT = 'vat_basis_points';
const PAUSE = 'pause_on_chargeback';

export async function readPaymentSettings(db: Queryable): Promise<PaymentSettings> {
  const rows = await SETTINGS_NAMED.rows(db, [[SELLER, VAT, PAUSE]]);
  const stored = new Map(rows.map(({ key, value }) => [key, value]));
  const vat = stored.get(VAT);
  return {
    seller: storedIdentity(stored.get(SELLER)),
    vatBasisPoints: typeof vat === 'number' ? vat : 0,
    pauseOnChargeback: stored.get(PAUSE) !== false,
  };
}

export async function changePaymentSettings(
  store: SettingStore,
  { seller, vatPercent, pauseOnChargeback }: PaymentSettingsChange,
  actor: string,
): Promise<void> {
  const identity = seller && identityJson(readIdentity(seller));
  const vat = vatPercent === undefined ? undefined : basisPoints(vatPercent);
  if (identity) await store.set(SELLER, identity, actor);
  if (vat !== undefined) await store.set(VAT, vat, actor);
  if (pauseOnChargeback !== undefined) await store.set(PAUSE, pauseOnChargeback, actor);
}

export function percentOfPoints(points: number): string {
  return String(points / 100);
}

function basisPoints(text: string): number {
  const match = /^(\d{1,2})(?:\.(\d{1,2}))?$/.exec(text.trim());
  if (!match) throw invalidRequest('vat_percent', reasons.mustBe('vat_percent', expected.between('0', '99.99')));
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
}
