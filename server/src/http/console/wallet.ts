/**
 * `/api/console/wallet`, `/limits` and `/trail` (the audit log): the balance, how long it lasts, which limits apply,
 * and who changed what.
 */

import { page } from '@dargah/api/building-blocks.ts';
import { getLimits, getWallet, listOwnTrail, listTransfers } from '@dargah/api/console/own-money.ts';
import type { AccountService } from '../../accounts/index.ts';
import { type Admission, NO_LIMIT } from '../../admission/index.ts';
import type { Clock } from '../../core/clock.ts';
import { money, parseToman, toTomanText } from '../../core/money.ts';
import { accountCap, capsInForce, refuseCursor, renderOwnCaps } from '../../keys/index.ts';
import type { Books } from '../../ledger/index.ts';
import { paceOf } from '../../notices/index.ts';
import { listAuditLogOfAccount } from '../../platform/audit-log.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { startOfPage } from '../../platform/db/pages.ts';
import type { Register } from '../routes/register.ts';
import type { Spending } from '../spending.ts';

export interface WalletServices {
  db: Queryable;
  clock: Clock;
  accounts: AccountService;
  ledger: Books;
  spending: Spending;
  admission: Pick<Admission, 'windows'>;
  walletMinimum(): bigint;
}

export function walletRoutes(register: Register, services: WalletServices): void {
  const { db, clock, accounts, ledger, spending, admission } = services;
  register(getWallet, async ({ who }) => {
    const account = await accounts.get(who.accountId);
    const { id, calendar } = account;
    const wallet = await spending.wallet(id);
    const spend = await spending.periods(id, 'account', id, capsInForce(account), calendar);
    const pace = await paceOf(db, id, clock.now());
    const available = parseToman(String(wallet['available'])) ?? 0n;
    const daysLeft = pace > 0n ? Math.max(0, Math.floor(Number((available * 10n) / pace)) / 10) : null;
    return {
      object: 'wallet',
      ...wallet,
      spend,
      daily_pace: pace > 0n ? toTomanText(pace) : null,
      days_left: daysLeft,
    };
  });
  register(listTransfers, async ({ who, query }) => {
    const { after, limit = 50 } = query;
    const place = { limit, ...(after === undefined ? {} : { before: after }) };
    const { entries, next } = await ledger.history(who.accountId, place);
    return page(
      entries.map(({ id, kind, amount, requestId, note, createdAt }) => ({
        object: 'transfer',
        id,
        kind,
        amount: toTomanText(amount),
        request_id: requestId ?? null,
        note: note ?? null,
        created_at: new Date(createdAt).toISOString(),
      })),
      next,
    );
  });
  register(getLimits, async ({ who }) => {
    const account = await accounts.get(who.accountId);
    const { id, rules, calendar } = account;
    const check = {
      kind: 'window',
      name: 'account-requests',
      id: `rpm:account:${id}`,
      home: id,
      limit: rules.rpm ?? NO_LIMIT,
      amount: 0,
    } as const;
    const state = (await admission.windows([check])).get(check.id);
    const remaining = state?.remaining ?? check.limit;
    return {
      object: 'limits',
      requests: {
        limit: rules.rpm,
        used: rules.rpm === null ? 0 : Math.max(0, rules.rpm - remaining),
        remaining: rules.rpm === null ? null : remaining,
        reset_ms: state?.resetMs ?? 0,
      },
      caps: (await spending.periods(id, 'account', id, capsInForce(account), calendar)).map((cap) => ({
        ...cap,
        set_by: accountCap(account, cap.period)?.setBy ?? null,
      })),
      own_caps: renderOwnCaps(account.ownCaps),
      models: rules.models,
      endpoints: rules.endpoints,
      wallet_minimum: toTomanText(money(services.walletMinimum())),
    };
  });
  register(listOwnTrail, async ({ who, query }) => {
    const start = startOfPage(query) ?? refuseCursor();
    const { items, next } = await listAuditLogOfAccount(db, start, who.accountId, 'customer');
    return page(
      items.map((event) => ({ ...event, at: event.at.toISOString() })),
      next,
    );
  });
}
