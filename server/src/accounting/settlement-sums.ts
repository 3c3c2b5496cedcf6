/** What booking a settlement means, in toman. It is computed before somebody books and again at the booking. Pure. */
import { type Money, money, ZERO } from '../core/money.ts';
import { tomanOfIranian } from '../payments/index.ts';
import { isAgreed, type StoredLine, type StoredSettlement } from './settlement-rows.ts';

export interface SettlementSums {
  /** What our books hold at the gateway for the lines that agree. */
  ours: Money;
  /** Their lines for which no order of ours is known. */
  unmatched: Money;
  arrived: Money;
  /** The fee as they state it. */
  fee: Money;
  /** What remains when all of these are added up; zero where everything agrees. */
  difference: Money;
}

/**
 * `rate`: toman for one whole unit of a foreign currency, for lines that have no order; without it the mean of those that have one.
 * Undefined where there is neither.
 */
export function settlementSums(
  settlement: Pick<StoredSettlement, 'unit' | 'units' | 'fee' | 'hasLines'>,
  lines: readonly StoredLine[],
  rate?: Money,
): SettlementSums | undefined {
  const { unit, units } = settlement;
  const worth = tomanOfIranian(1n, unit) === undefined ? foreignWorth(lines, rate) : iranianWorth(unit);
  if (worth === undefined) return undefined;
  const sums = { ours: 0n, unmatched: 0n, fee: 0n, arrived: 0n, net: 0n };
  for (const line of lines) {
    const agreed = isAgreed(line);
    if (agreed) sums.ours += line.ours ?? ZERO;
    else sums.unmatched += worth(line.gross, line);
    // What a dispute costs was booked with the dispute.
    if (!(agreed && line.kind === 'dispute')) sums.fee += worth(line.fee, line);
    sums.arrived += worth(line.gross, line) - worth(line.fee, line);
    sums.net += line.gross - line.fee;
  }
  if (!settlement.hasLines && settlement.fee !== null) sums.fee = worth(settlement.fee);
  // Lines that do not add up to what arrived leave a difference, which is shown.
  const arrived = sums.arrived + worth(units - sums.net);
  return {
    ours: money(sums.ours),
    unmatched: money(sums.unmatched),
    arrived: money(arrived),
    fee: money(sums.fee),
    difference: money(sums.ours + sums.unmatched - arrived - sums.fee),
  };
}

type Worth = (units: bigint, line?: StoredLine) => bigint;

function iranianWorth(unit: string): Worth {
  return (units) => tomanOfIranian(units, unit) ?? ZERO;
}

/** Hundredths of a foreign currency are converted at the rate of their order. */
function foreignWorth(lines: readonly StoredLine[], rate: Money | undefined): Worth | undefined {
  const rated = lines.filter((line) => rateOf(line) !== undefined);
  const gross = rated.reduce((sum, line) => sum + line.gross, 0n);
  const worth = rated.reduce((sum, line) => sum + line.gross * (rateOf(line) ?? 0n), 0n);
  const mean = rate ?? (gross === 0n ? undefined : worth / gross);
  if (mean === undefined) return undefined;
  return (units, line) => (units * ((line && rateOf(line)) ?? mean)) / 100n;
}

/** Old orders have no rate of their own: theirs follows from what they were worth. */
function rateOf({ rate, ours, gross, kind, match }: StoredLine): bigint | undefined {
  if (rate !== null) return rate;
  return ours === null || gross === 0n || kind === 'dispute' || match === 'proposed'
    ? undefined
    : (ours * 100n) / gross;
}
