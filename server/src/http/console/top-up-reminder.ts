/** `/api/console/wallet/reminder`: the alert that carries a payment link, set where people pay. */
import { getTopUpReminder, setTopUpReminder } from '@dargah/api/console/wallet.ts';
import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { parseToman, toTomanText } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import type { AlertRule, Notices } from '../../notices/index.ts';
import { isWholeToman } from '../../payments/index.ts';
import type { Register } from '../routes/register.ts';

const EVENT = 'balance.reminder';

export function topUpReminder(
  register: Register,
  { notices }: { notices: Pick<Notices, 'rule' | 'changeRule'> },
): void {
  register(getTopUpReminder, async ({ who }) => view(await notices.rule(who.accountId, EVENT)));
  register(setTopUpReminder, async ({ who, body }) => {
    const { enabled, channels } = body;
    const terms = { below: wholeToman(body.below, 'below'), pay: wholeToman(body.amount, 'amount') };
    return view(await notices.changeRule(who.accountId, EVENT, { enabled, channels: [...new Set(channels)], terms }));
  });
}

function view({ enabled, channels, terms }: AlertRule) {
  const { below, pay } = terms;
  return {
    object: 'top_up_reminder' as const,
    enabled,
    channels,
    below: String(below ?? '0'),
    amount: String(pay ?? '0'),
  };
}

function wholeToman(input: string | number, param: string): string {
  const amount = parseToman(input);
  if (amount === undefined || amount <= 0n || !isWholeToman(amount))
    throw invalidRequest(param, reasons.mustBe(param, expected.tomanAboveZero));
  return toTomanText(amount);
}
