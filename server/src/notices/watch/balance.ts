/** A balance that falls below the account's line, or that lasts too few days. */
import type { JsonObject } from '../../core/json.ts';
import { money, parseToman, toTomanText } from '../../core/money.ts';
import { EVENTS } from '../events.ts';
import { paceOf } from '../pace.ts';
import { readMemory, writeMemory } from './memory.ts';
import type { WatchedAccount, WatchTools } from './watch-tools.ts';

/** A balance must rise clearly above the line before falling below it is news again. */
const RECOVERED = { times: 6n, of: 5n };

export async function watchBalance({ db, clock, notices }: WatchTools, { accountId }: WatchedAccount): Promise<void> {
  const { enabled, terms } = await notices.rule(accountId, 'balance.low');
  if (!enabled) return;
  const [row] = await db.query<{ posted: string }>('select posted::text as posted from ledger_account where id = $1', [
    `wallet:${accountId}`,
  ]);
  const balance = money(BigInt(row?.posted ?? 0));
  const daily = await paceOf(db, accountId, clock.now());
  const daysLeft = daily > 0n ? Number(balance / daily) : null;
  const memory = await readMemory(db, accountId, 'balance');
  const peak = peakOf(memory, balance);
  const line = lineFor(terms.below ?? null, peak);
  const days = terms.days_left ?? 0;
  const low = balance < line || (daysLeft !== null && daysLeft < days);
  const recovered = balance * RECOVERED.of >= line * RECOVERED.times && (daysLeft === null || daysLeft >= days);
  const told = memory?.['told'] === true;
  const round = Number(memory?.['round'] ?? 0);
  if (low && !told) {
    const data = { balance: toTomanText(balance), daily: toTomanText(daily), days_left: daysLeft };
    await notices.raise({
      accountId,
      event: 'balance.low',
      occasion: `round:${round}`,
      data,
      link: '/console/wallet',
    });
    await writeMemory(db, accountId, 'balance', { told: true, round, peak: String(peak) });
  } else if (told && recovered) {
    await writeMemory(db, accountId, 'balance', { told: false, round: round + 1, peak: String(balance) });
  } else if (memory?.['peak'] !== String(peak)) {
    await writeMemory(db, accountId, 'balance', { told, round, peak: String(peak) });
  }
}

/** The most that the wallet was seen to hold since it was last low. */
function peakOf(memory: JsonObject | undefined, balance: bigint): bigint {
  const seen = BigInt(typeof memory?.['peak'] === 'string' ? memory['peak'] : 0);
  return seen > balance ? seen : balance;
}

/**
 * A wallet that never held clearly more than the usual line would be low from its first charge on: for it half of what it held is
 * the line. A line that somebody chose is theirs.
 */
function lineFor(below: string | number | null, peak: bigint): bigint {
  const wanted = (parseToman(below ?? '') ?? 0n) as bigint;
  const isUsual = String(below) === EVENTS['balance.low'].terms.below;
  // An empty wallet is low whatever it held.
  return isUsual && peak * RECOVERED.of < wanted * RECOVERED.times ? peak / 2n || 1n : wanted;
}
