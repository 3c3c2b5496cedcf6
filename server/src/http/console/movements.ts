/** `/api/console/wallet/movements` and `/charges`: the wallet by day and key. */
import { page } from '@dargah/api/building-blocks.ts';
import { listDayCharges, listMovements } from '@dargah/api/console/wallet.ts';
import type { AccountService } from '../../accounts/index.ts';
import { toTomanText } from '../../core/money.ts';
import { type Movement, readDayCharges, readMovements } from '../../ledger/index.ts';
import type { Queryable } from '../../platform/db/index.ts';
import type { Register } from '../routes/register.ts';
import { timeInput } from '../time-input.ts';

export interface MovementServices {
  db: Queryable;
  accounts: Pick<AccountService, 'get'>;
}

export function movementRoutes(register: Register, { db, accounts }: MovementServices): void {
  register(listMovements, async ({ who, query }) => {
    const { after, limit, kind, key_id: keyId } = query;
    const { timeZone } = (await accounts.get(who.accountId)).calendar;
    const days = { from: dayOf(query.from, 'from', timeZone), to: dayOf(query.to, 'to', timeZone) };
    const filter = { accountId: who.accountId, timeZone, kind, keyId, ...days };
    const { items, next } = await readMovements(db, filter, { after, limit });
    return page(items.map(movementView), next);
  });
  register(listDayCharges, async ({ who, query }) => {
    const { after, limit, key_id: keyId } = query;
    const { timeZone } = (await accounts.get(who.accountId)).calendar;
    const of = { accountId: who.accountId, day: dayOf(query.day, 'day', timeZone), keyId };
    const { items, next } = await readDayCharges(db, of, { after, limit });
    return page(
      items.map(({ requestId, model, amount, at }) => ({
        object: 'charge' as const,
        request_id: requestId,
        model,
        amount: toTomanText(amount),
        created_at: at.toISOString(),
      })),
      next,
    );
  });
}

/** A day in either calendar, or the day of a moment, in the account's zone. */
function dayOf<T extends string | undefined>(text: T, param: string, timeZone: string): string | Extract<T, undefined> {
  const at = timeInput(text, param, timeZone);
  if (at === undefined) return undefined as Extract<T, undefined>;
  return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(at);
}

function movementView({ keyId, keyName, ...line }: Movement) {
  return {
    object: 'movement' as const,
    id: line.id,
    day: line.day,
    kind: line.kind,
    amount: toTomanText(line.amount),
    balance: toTomanText(line.balance),
    key: keyId === null ? null : { id: keyId, name: keyName },
    requests: line.requests,
    request_id: line.requestId,
    order_id: /^(?:topup|refund):(ord_\w{1,60})/.exec(line.id)?.[1] ?? null,
    note: line.note,
    created_at: line.at?.toISOString() ?? null,
  };
}
