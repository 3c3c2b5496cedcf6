/** Notices of keys that spend many times their usual amount; the account may choose to pause them. */
import { GatewayError } from '../../core/errors.ts';
import { type Money, money, toTomanText } from '../../core/money.ts';
import { periodOf } from '../../keys/index.ts';
import { readMemory, writeMemory } from './memory.ts';
import { SPEND_OF_KEYS } from './watch-rows.ts';
import type { WatchedAccount, WatchedKey, WatchTools } from './watch-tools.ts';

/** With less history or money nothing can be called unusual. */
const MIN_DAYS = 3;
const MIN_SPEND = money(10_000_000_000n);

export async function watchSpend(
  tools: WatchTools,
  { accountId, calendar }: WatchedAccount,
  keys: WatchedKey[],
): Promise<void> {
  const { db, clock, notices } = tools;
  const { enabled, terms } = await notices.rule(accountId, 'key.unusual_spend');
  if (!enabled) return;
  const today = periodOf('daily', calendar, clock.now()).id;
  const rows = await SPEND_OF_KEYS.rows(db, [accountId, today]);
  for (const { key_id: id, today: spentText, before, days } of rows) {
    const spent = money(BigInt(spentText));
    const times = timesUsual(spent, BigInt(before), Number(days));
    if (times === undefined || times < (terms.times ?? Number.POSITIVE_INFINITY)) continue;
    const name = keys.find((key) => key.id === id)?.name ?? id;
    const paused = terms.pause === true && (await pause(tools, accountId, id, today));
    const data = { key_id: id, name, spent: toTomanText(spent), times: Math.floor(times), paused };
    await notices.raise({
      accountId,
      event: 'key.unusual_spend',
      occasion: `${id}:${today}`,
      data,
      link: `/console/keys/${id}`,
    });
  }
}

/**
 * At most once a day, because somebody who resumed the key has looked at it. Recorded after it is done, so that a crash
 * leaves it to the next look.
 */
async function pause({ db, keys, log }: WatchTools, accountId: string, keyId: string, day: string): Promise<boolean> {
  const subject = `paused:${keyId}`;
  if ((await readMemory(db, accountId, subject))?.['day'] === day) return false;
  const paused = await keys.update(keyId, { rules: { paused: true } }, 'unusual-spend').then(
    () => true,
    (error: unknown) => {
      // A key of the configuration file is paused there; whatever else went wrong is tried again.
      if (!(error instanceof GatewayError)) throw error;
      log.warn({ key: keyId, err: error }, 'a key with unusual spend could not be paused');
      return false;
    },
  );
  await writeMemory(db, accountId, subject, { day });
  return paused;
}

function timesUsual(spent: Money, before: bigint, days: number): number | undefined {
  if (days < MIN_DAYS || before <= 0n || spent < MIN_SPEND) return undefined;
  return Number((spent * BigInt(days) * 100n) / before) / 100;
}
