/** One account as support works with it: its head in one answer, blocking it, its history and the notes of staff. */
import * as routes from '@dargah/api/admin/desk.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { ResultOf } from '@dargah/api/describe-route.ts';
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import {
  type Account,
  type AccountBlocks,
  type AccountNote,
  type AccountNotes,
  accountReasons,
  countKeysAndMembers,
  MAX_SUPPORT_HOURS,
} from '../../accounts/index.ts';
import type { Clock } from '../../core/clock.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { money, toTomanText } from '../../core/money.ts';
import type { Gateway } from '../../gateway/index.ts';
import { capsInForce, isBlocked, refuseCursor } from '../../keys/index.ts';
import { readWallet } from '../../ledger/index.ts';
import type { Notices, Outages } from '../../notices/index.ts';
import { listAuditLogOfAccount } from '../../platform/audit-log.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { startOfPage } from '../../platform/db/pages.ts';
import { type RequestLog, readAccountActivity } from '../../requestlog/index.ts';
import type { Incidents, Tickets } from '../../support/index.ts';
import { type ClosingServices, closeForGood } from '../close-account.ts';
import { httpReasons } from '../reasons.ts';
import type { Register } from '../routes/register.ts';
import type { Spending } from '../spending.ts';
import { conversationView } from '../views/ticket-views.ts';
import { accountView } from './accounts.ts';
import { outageView } from './outages.ts';

export interface DeskServices extends ClosingServices {
  db: Queryable;
  clock: Clock;
  blocks: AccountBlocks;
  notes: AccountNotes;
  spending: Spending;
  requestLog: Pick<RequestLog, 'find'>;
  running: Pick<Gateway['running'], 'countOf'>;
  notices: Pick<Notices, 'raise'>;
  tickets: Tickets;
  incidents: Incidents;
  outages: Pick<Outages, 'open'>;
}

/** More blocked at once would be an outage for everybody. */
const MAX_OUTAGES = 10;

type Desk = ResultOf<typeof routes.getDesk>;

export function desk(register: Register, services: DeskServices): void {
  const { accounts, blocks, db, tickets } = services;
  register(routes.getDesk, async ({ params }) => deskView(services, await accounts.get(params.id)));
  register(routes.blockAccount, async ({ params, body, actor, who }) => {
    const isOwner = who.role === 'owner';
    if (!isOwner) await refuseStaffAccount(services, params.id);
    const by = { actor, isOwner };
    const account = await blocks.block(params.id, { reason: body.reason.trim(), hours: body.hours }, by, (tx, { id }) =>
      tellBlocked(services, tx, id, body.reason.trim()),
    );
    return deskView(services, account);
  });
  register(routes.unblockAccount, async ({ params, body, actor, who }) => {
    const by = { actor, isOwner: who.role === 'owner' };
    return deskView(services, await blocks.unblock(params.id, body.reason.trim(), by));
  });
  register(routes.closeAccountFor, async ({ params, body, actor, who }) => {
    if (who.role !== 'owner') await refuseStaffAccount(services, params.id);
    const { held } = await services.spending.wallet(params.id);
    const check = async (tx: Queryable) => {
      const { posted } = await readWallet(tx, params.id);
      if (posted === 0n && held === '0') return;
      throw new GatewayError('conflict', { reason: accountReasons.moneyLeft(toTomanText(posted)) });
    };
    await closeForGood(services, params.id, { actor, reason: body.reason.trim(), check });
    return deskView(services, await accounts.get(params.id));
  });
  register(routes.listAccountHistory, async ({ params, query }) => {
    const { id } = await accounts.get(params.id);
    const { items, next } = await listAuditLogOfAccount(db, startOfPage(query) ?? refuseCursor(), id, 'staff');
    return page(
      items.map((entry) => ({ ...entry, at: entry.at.toISOString() })),
      next,
    );
  });
  register(routes.openTicketFor, async ({ params, body, actor }) => {
    const { id } = await accounts.get(params.id);
    const ticket = await tickets.openFor(id, body, actor);
    return conversationView(await tickets.read(ticket.id, undefined), 'staff');
  });
  noteRoutes(register, services);
}

function noteRoutes(register: Register, { accounts, notes, requestLog }: DeskServices): void {
  register(routes.listNotes, async ({ params, query }) => {
    const { id } = await accounts.get(params.id);
    const { items, next } = await notes.list(id, query);
    return page(items.map(noteView), next);
  });
  register(routes.addNote, async ({ params, body, actor }) => {
    const { id } = await accounts.get(params.id);
    const { request_id: requestId, pinned = false } = body;
    // A note must not link to another account's request.
    if (requestId !== undefined && !(await requestLog.find(requestId, id)))
      throw invalidRequest('request_id', httpReasons.noSuchRequest);
    return noteView(await notes.add(id, { text: body.text.trim(), requestId, pinned }, actor));
  });
  register(routes.changeNote, async ({ params, body, actor, who }) =>
    noteView(await notes.act(params.id, params.note, body.act, { actor, isOwner: who.role === 'owner' })),
  );
}

function noteView(note: AccountNote): ResultOf<typeof routes.addNote> {
  return {
    object: 'account_note',
    id: note.id,
    text: note.text,
    request_id: note.requestId,
    pinned: note.pinned,
    author: note.author,
    author_name: note.authorName,
    created_at: note.createdAt.toISOString(),
    withdrawn_at: note.withdrawnAt?.toISOString() ?? null,
  };
}

/** An account without customers belongs to staff or to the configuration file. */
async function refuseStaffAccount({ people }: DeskServices, accountId: string): Promise<void> {
  if (!(await people.members.hasCustomers(accountId)))
    throw new GatewayError('forbidden', { instead: accountReasons.staffAccount });
}

async function tellBlocked(
  { notices, clock }: DeskServices,
  tx: Queryable,
  accountId: string,
  reason: string,
): Promise<void> {
  const occasion = `blocked:${clock.now()}`;
  await notices.raise({ accountId, event: 'account.blocked', occasion, data: { reason }, link: '/console' }, tx);
}

async function deskView(services: DeskServices, account: Account): Promise<Desk> {
  const { db, clock, spending, people, tickets, running } = services;
  const nowMs = clock.now();
  const { id, calendar } = account;
  const [wallet, spend, activity, counts, openTickets, incidents, outages] = await Promise.all([
    spending.wallet(id),
    spending.periods(id, 'account', id, capsInForce(account), calendar),
    readAccountActivity(db, id, nowMs),
    countKeysAndMembers(people.db, id),
    tickets.countOpen(id),
    services.incidents.list(),
    services.outages.open(),
  ]);
  const open = incidents.filter(
    ({ resolvedAt, vendors }) =>
      resolvedAt === null && vendors.some((vendor) => activity.models.some((model) => model.startsWith(`${vendor}/`))),
  );
  const met = outages.filter(({ kind, subject }) => kind === 'model.failing' && activity.models.includes(subject));
  return {
    object: 'account_desk',
    account: accountView(account),
    closed_at: account.closedAt?.toISOString() ?? null,
    block: blockView(account, nowMs),
    wallet,
    spend,
    spent_30_days: toTomanText(money(activity.cost)),
    last_used_at: activity.lastUsedAt?.toISOString() ?? null,
    last_day: { requests: activity.requests, failed: activity.failed, refused: activity.refused },
    running: running.countOf(id),
    ...counts,
    open_tickets: openTickets,
    outages: met.slice(0, MAX_OUTAGES).map(outageView),
    incidents: open.map(({ id: incident, title, impact, vendors, startedAt }) => ({
      id: incident,
      title,
      impact,
      vendors,
      started_at: startedAt.toISOString(),
    })),
  };
}

function blockView({ blocked }: Account, nowMs: number): Desk['block'] {
  if (!blocked || !isBlocked(blocked, nowMs)) return null;
  const { at, until, reason, by } = blocked;
  const isLong = until === null || until.getTime() - at.getTime() > MAX_SUPPORT_HOURS * HOUR_MS;
  return { at: at.toISOString(), until: until?.toISOString() ?? null, reason, by, by_owner: isLong };
}
