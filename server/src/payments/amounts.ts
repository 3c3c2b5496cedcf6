/** The only place where toman is converted into other units. */
import { type Money, money } from '../core/money.ts';

const MICRO = 1_000_000n;
const RIAL_PER_TOMAN = 10n;

/** What a gateway collects: whole units of `unit`. */
export interface Payable {
  units: bigint;
  /** `IRR`, `IRT`, or the code of a currency that is counted in hundredths. */
  unit: string;
  /** For a foreign currency: toman for one whole unit at the time of the order. */
  rate?: Money | undefined;
}

export function isWholeToman(amount: Money): boolean {
  return amount % MICRO === 0n;
}

export function wholeToman(toman: bigint): Money {
  return money(toman * MICRO);
}

export function inToman(amount: Money): Payable {
  return { units: exactToman(amount), unit: 'IRT' };
}

export function inRial(amount: Money): Payable {
  return { units: rialOf(amount), unit: 'IRR' };
}

export function rialOf(amount: Money): bigint {
  return exactToman(amount) * RIAL_PER_TOMAN;
}

/** Rounded up, so that no fraction of a cent is given away. `tomanPerUnit` is the price of one whole unit. */
export function inHundredths(amount: Money, currency: string, tomanPerUnit: Money): Payable {
  if (tomanPerUnit <= 0n) throw new Error('an exchange rate must be positive');
  const units = (amount * 100n + tomanPerUnit - 1n) / tomanPerUnit;
  return { units, unit: currency.toUpperCase(), rate: tomanPerUnit };
}

/** Tax on top of an amount, in whole toman, halves rounded up. `basisPoints`: 1000 is ten per cent. */
export function taxOn(amount: Money, basisPoints: number): Money {
  const scale = 10_000n * MICRO;
  return wholeToman((amount * BigInt(basisPoints) * 2n + scale) / (scale * 2n));
}

/** Converts whole units of rial or toman into toman; undefined for a foreign currency, which has no fixed rate. */
export function tomanOfIranian(units: bigint, unit: string): Money | undefined {
  if (unit === 'IRT') return money(units * MICRO);
  return unit === 'IRR' ? money((units * MICRO) / RIAL_PER_TOMAN) : undefined;
}

function exactToman(amount: Money): bigint {
  if (!isWholeToman(amount)) throw new Error('only whole toman are paid');
  return amount / MICRO;
}
