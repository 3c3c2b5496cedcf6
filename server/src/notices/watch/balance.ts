/**
 * Notices of a balance that falls below the account's threshold or lasts too few days, and the reminder at a balance
 * that the customer chose.
 */
import type { JsonObject } from '../../core/json.ts';
import { type Money, money, parseToman, toTomanText } from '../../core/money.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { EVENTS } from '../events.ts';
import { paceOf } from '../pace.ts';
import { readMemory, writeMemory } from './memory.ts';
import { BALANCE_OF_WALLET } from './watch-rows.ts';
import type { WatchedAccount, WatchTools } from './watch-tools.ts';

/** A balance must rise clearly above the threshold before falling below it is told again. */
const RECOVERED = { times: 6n, of: 5n };

export async function watchBalance({ db, clock, notices }: WatchTools, { accountId }: WatchedAccount): Promise<void> {
  const { enabled, terms } = await notices.rule(accountId, 'balance.low');
  if (!enabled) return;
  const balance = await balanceOf(db, accountId);
  const daily = await paceOf(db, accountId, clock.now());
  const daysLeft = daily > 0n ? Number(balance / daily) : null;
  const memory = await readMemory(db, accountId, 'balance');
  const peak = peakOf(memory, balance);
  const line = lineFor(terms.below ?? null, peak);
  const days = terms.days_left ?? 0;
  const low = balance < line || (daysLeft !== null && daysLeft < days);
  const recovered = balance * RECOVERED.of >= line * RECOVERED.times && (daysLeft === null || daysLeft >= days);
  const wasTold = memory?.['told'] === true;
  const round = Number(memory?.['round'] ?? 0);
  if (low && !wasTold) {
    const data = { balance: toTomanText(balance), daily: toTomanText(daily), days_left: daysLeft };
    await notices.raise({
      accountId,
      event: 'balance.low',
      occasion: `round:${round}`,
      data,
      link: '/console/wallet',
    });
    await writeMemory(db, accountId, 'balance', { told: true, round, peak: String(peak) });
  } else if (wasTold && recovered) {
    await writeMemory(db, accountId, 'balance', { told: false, round: round + 1, peak: String(balance) });
  } else if (memory?.['peak'] !== String(peak)) {
    await writeMemory(db, accountId, 'balance', { told: wasTold, round, peak: String(peak) });
  }
}

/**
 * The customer chose at which balance to be reminded, and which amount to pay. Told once each time the balance falls
 * below it; a top-up that reaches it or more arms it again.
 */
export async function watchReminder({ db, notices }: WatchTools, { accountId }: WatchedAccount): Promise<void> {
  const { enabled, terms } = await notices.rule(accountId, 'balance.reminder');
  const line = parseToman(terms.below ?? '') ?? 0n;
  if (!enabled || line <= 0n) return;
  const balance = await balanceOf(db, accountId);
  const memory = await readMemory(db, accountId, 'reminder');
  const wasTold = memory?.['told'] === true;
  const round = Number(memory?.['round'] ?? 0);
  if (balance >= line) {
    if (wasTold) await writeMemory(db, accountId, 'reminder', { told: false, round: round + 1 });
    return;
  }
  if (wasTold) return;
  const amount = terms.pay ?? EVENTS['balance.reminder'].terms.pay ?? '';
  await notices.raise({
    accountId,
    event: 'balance.reminder',
    occasion: `round:${round}`,
    data: { balance: toTomanText(balance), below: String(terms.below), amount },
    link: `/console/wallet?amount=${encodeURIComponent(amount)}`,
  });
  await writeMemory(db, accountId, 'reminder', { told: true, round });
}

async function balanceOf(db: Queryable, accountId: string): Promise<Money> {
  const row = await BALANCE_OF_WALLET.first(db, [`wallet:${accountId}`]);
  return money(BigInt(row?.posted ?? 0));
}

/** The highest balance that was seen since the wallet was last low. */
function peakOf(memory: JsonObject | undefined, balance: bigint): bigint {
  const seen = BigInt(typeof memory?.['peak'] === 'string' ? memory['peak'] : 0);
  return seen > balance ? seen : balance;
}

/**
 * A wallet that never held clearly more than the default threshold would be low from its first charge on, so half of
 * what it held is its threshold. A threshold that somebody chose is kept.
 */
function lineFor(below: string | number | null, peak: bigint): bigint {
  const wanted = (parseToman(below ?? '') ?? 0n) as bigint;
  const isUsual = String(below) === EVENTS['balance.low'].terms.below;
  // An empty wallet is low whatever it held.
  return isUsual && peak * RECOVERED.of < wanted * RECOVERED.times ? peak / 2n || 1n : wanted;
}
