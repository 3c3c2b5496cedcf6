/** When the balance and the caps of an account end at the pace of the last days. */

import type { Text } from '@dargah/core/text.ts';
import type { Clock } from '../core/clock.ts';
import { type Money, money } from '../core/money.ts';
import {
  type AccountRules,
  CAP_PERIODS,
  type CapPeriod,
  capBudget,
  capsInForce,
  parseCalendar,
  periodOf,
  readStoredAccountRules,
  readStoredOwnCaps,
} from '../keys/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { CAPPED_KEYS, FORECAST_OF_ACCOUNT, SPENT_OF_BUDGET } from './forecast-rows.ts';
import { endSentence, endsAt, paceOf } from './pace.ts';

export interface Forecast {
  what: 'balance' | 'account' | 'key';
  id: string;
  name: string;
  period: string | null;
  left: Money;
  dailyPace: Money;
  endsAt: number | null;
  sentence: Text;
}

export async function forecastOf(db: Queryable, clock: Clock, accountId: string): Promise<Forecast[]> {
  const account = await FORECAST_OF_ACCOUNT.first(db, [accountId]);
  if (!account) return [];
  const calendar = parseCalendar(account.calendar);
  const nowMs = clock.now();
  const build = (what: Forecast['what'], id: string, name: string, message: Text, left: Money, pace: Money) => {
    const at = endsAt(left, pace, nowMs);
    return {
      what,
      id,
      name,
      period: null,
      left,
      dailyPace: pace,
      endsAt: at,
      sentence: endSentence(message, at, calendar, nowMs),
    };
  };
  const all: Forecast[] = [];
  const pace = await paceOf(db, accountId, nowMs);
  const balance = money(BigInt(account.posted ?? 0));
  all.push(build('balance', accountId, account.name, { fa: 'موجودی', en: 'the balance' }, balance, pace));
  const capped = async (what: 'account' | 'key', id: string, name: string, caps: AccountRules['caps'], own: Money) => {
    for (const period of CAP_PERIODS) {
      const limit = caps[period];
      if (limit === null) continue;
      const { id: periodId, resetsAt } = periodOf(period, calendar, nowMs);
      const row = await SPENT_OF_BUDGET.first(db, [capBudget(what, id, period, periodId)]);
      const message = capLabel(period, what === 'key' ? name : undefined);
      const one = build(what, id, name, message, money(limit - BigInt(row?.spent ?? 0)), own);
      // A cap that is reset before it would be used up does not run out.
      const end = one.endsAt !== null && resetsAt !== null && one.endsAt > resetsAt ? null : one.endsAt;
      all.push({ ...one, period, endsAt: end, sentence: endSentence(message, end, calendar, nowMs) });
    }
  };
  const rules = readStoredAccountRules(account.rules);
  const caps = capsInForce({ rules, ownCaps: readStoredOwnCaps(account.own_caps) });
  await capped('account', accountId, account.name, caps, pace);
  const keys = await CAPPED_KEYS.rows(db, [accountId]);
  for (const { id, name, caps } of keys)
    await capped('key', id, name, readStoredAccountRules({ caps }).caps, await paceOf(db, accountId, nowMs, id));
  return all;
}

const PERIOD_LABELS: Record<CapPeriod, Text> = {
  daily: { fa: 'سقف روزانهٔ', en: 'daily cap' },
  monthly: { fa: 'سقف ماهانهٔ', en: 'monthly cap' },
  total: { fa: 'سقف کل', en: 'total cap' },
};

/** Isolates a key's name from the text around it: a Latin name would otherwise pull the Persian date after it to its own side. */
function capLabel(period: CapPeriod, keyName: string | undefined): Text {
  const { fa, en } = PERIOD_LABELS[period];
  if (keyName === undefined) return { fa: `${fa} حساب`, en: `the ${en} of the account` };
  const name = `\u2068${keyName}\u2069`;
  return { fa: `${fa} کلید «${name}»`, en: `the ${en} of the key ‘${name}’` };
}
