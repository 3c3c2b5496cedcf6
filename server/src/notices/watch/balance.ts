/** A balance that falls below the account's line, or that lasts too few days. */
import { money, parseToman, toTomanText } from '../../core/money.ts';
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
  const line = (parseToman(terms.below ?? '') ?? 0n) as bigint;
  const days = terms.days_left ?? 0;
  const low = balance < line || (daysLeft !== null && daysLeft < days);
  const recovered = balance * RECOVERED.of >= line * RECOVERED.times && (daysLeft === null || daysLeft >= days);
  const memory = await readMemory(db, accountId, 'balance');
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
    await writeMemory(db, accountId, 'balance', { told: true, round });
  } else if (told && recovered) {
    await writeMemory(db, accountId, 'balance', { told: false, round: round + 1 });
  }
}
