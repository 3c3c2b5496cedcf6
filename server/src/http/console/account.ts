/** `/api/console/account`: its settings, its export, closing it. */

import {
  changeOwnAccount,
  closeAccount,
  exportAccount,
  getOwnAccount,
  leaveAccount,
  setOwnCaps,
  transferOwnership,
} from '@dargah/api/console/account.ts';
import type { ResultOf } from '@dargah/api/describe-route.ts';
import type { Account } from '../../accounts/index.ts';
import type { Sink } from '../../core/answer.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { renderAccountRules, renderCalendar, renderKeyRules, renderOwnCaps } from '../../keys/index.ts';
import type { KnowledgeService } from '../../knowledge/index.ts';
import type { Books } from '../../ledger/index.ts';
import { customerReceipt, type RequestLog } from '../../requestlog/index.ts';
import { type ClosingServices, closeForGood } from '../close-account.ts';
import { httpReasons } from '../reasons.ts';
import type { AccountPrincipal } from '../routes/guards.ts';
import { RawAnswer } from '../routes/handler-result.ts';
import type { Register } from '../routes/register.ts';
import type { Spending } from '../spending.ts';
import { baseView } from '../views/knowledge-views.ts';
import { promptLogging } from './keys.ts';

export interface ConsoleAccountServices extends ClosingServices {
  ledger: Books;
  spending: Spending;
  log: RequestLog;
  knowledge: KnowledgeService;
}

export function accountRoutes(register: Register, services: ConsoleAccountServices): void {
  const { people, accounts, spending } = services;
  const view = (account: Account, who: AccountPrincipal) => accountView(account, who, people.settings.suppliersShown);
  register(getOwnAccount, async ({ who }) => view(await accounts.get(who.accountId), who));
  register(changeOwnAccount, async ({ who, body, actor }) => {
    const { name, calendar, log_prompts: input } = body;
    const patch = {
      ...(name === undefined ? {} : { name }),
      ...(calendar === undefined ? {} : { calendar: calendar as Json }),
      ...(input === undefined ? {} : { logPrompts: promptLogging(input) }),
    };
    return view(await accounts.update(who.accountId, patch, actor), who);
  });
  register(setOwnCaps, async ({ who, body, actor }) =>
    view(await accounts.setOwnCaps(who.accountId, body as Json, actor), who),
  );
  register(leaveAccount, async ({ who, actor }) => {
    await people.members.remove(who.accountId, personOf(who), actor);
    return { done: true };
  });
  register(transferOwnership, async ({ who, body, actor }) => {
    await people.members.transferOwnership(who.accountId, personOf(who), body.member_id, actor);
    return { done: true };
  });
  register(exportAccount, async ({ who }) => {
    const run = (sink: Sink) => writeExport(services, who, sink);
    const headers = { 'content-disposition': `attachment; filename="account-${who.accountId}.ndjson"` };
    return new RawAnswer({ kind: 'stream', contentType: 'application/x-ndjson; charset=utf-8', headers, run });
  });
  register(closeAccount, async ({ who, body, actor }) => {
    const account = await accounts.get(who.accountId);
    if (body.confirm.trim() !== account.name) throw invalidRequest('confirm', httpReasons.confirmByName);
    const revoked = await closeForGood(services, who.accountId, { actor });
    const wallet = await spending.wallet(who.accountId);
    return { done: true, balance_left: wallet['balance'], keys_revoked: revoked };
  });
}

function personOf({ personId }: AccountPrincipal): string {
  if (personId === null) throw new GatewayError('forbidden');
  return personId;
}

function accountView(
  account: Account,
  { role }: AccountPrincipal,
  suppliersShown: boolean,
): ResultOf<typeof getOwnAccount> {
  return {
    object: 'account',
    id: account.id,
    name: account.name,
    role,
    rules: renderAccountRules(account.rules),
    own_caps: renderOwnCaps(account.ownCaps),
    calendar: renderCalendar(account.calendar),
    log_prompts: account.logPrompts ?? promptLogging({ enabled: false }),
    suppliers_shown: suppliersShown,
    created_at: account.createdAt.toISOString(),
    closed_at: account.closedAt?.toISOString() ?? null,
  };
}

/** The file is written page by page: an account may have millions of requests. */
async function writeExport(services: ConsoleAccountServices, who: AccountPrincipal, sink: Sink): Promise<void> {
  const { people, accounts, keys, ledger, log, knowledge } = services;
  const { accountId } = who;
  const write = (kind: string, value: unknown) => sink.write(`${JSON.stringify({ kind, value })}\n`);
  try {
    await write('account', accountView(await accounts.get(accountId), who, false));
    for (const { name, role, contact, createdAt } of await people.members.of(accountId))
      await write('member', { name, role, contact, joined_at: createdAt.toISOString() });
    await pages(
      sink,
      (after) => keys.list(accountId, { limit: 200, after }),
      ({ id, name, last4, rules, createdAt, revokedAt }) =>
        write('key', { id, name, last4, rules: renderKeyRules(rules), created_at: createdAt, revoked_at: revokedAt }),
    );
    await pages(
      sink,
      async (before) => {
        const { entries, next } = await ledger.history(accountId, {
          limit: 500,
          ...(before === undefined ? {} : { before }),
        });
        return { items: entries, next };
      },
      (transfer) => write('transfer', { ...transfer, amount: String(transfer.amount), unit: 'micro-toman' }),
    );
    await pages(
      sink,
      async (before) => {
        const { requests, next } = await log.list(
          { accountId },
          { limit: 500, ...(before === undefined ? {} : { before }) },
        );
        return { items: requests, next };
      },
      (record) => {
        const { plan: _plan, attempts: _attempts, ...receipt } = customerReceipt(record);
        return write('request', receipt);
      },
    );
    await pages(
      sink,
      (after) => knowledge.listBases({ accountId, baseIds: null }, { limit: 200, after }),
      (base) => write('knowledge_base', baseView(base)),
    );
    sink.end();
  } catch {
    // A file that broke off must not look complete.
    sink.cut();
  }
}

async function pages<T>(
  sink: Sink,
  read: (after: string | undefined) => Promise<{ items: T[]; next: string | null }>,
  write: (item: T) => Promise<void> | undefined,
): Promise<void> {
  let after: string | undefined;
  do {
    const { items, next } = await read(after);
    for (const item of items) await write(item);
    after = next ?? undefined;
  } while (after !== undefined && !sink.gone);
}
