/** Lists of many rows, wired: exports are made and figures of accounts renewed in the background. */
import type { StaffList } from '@dargah/core/staff-lists.ts';
import { HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import { AccountList } from '../accounts/index.ts';
import { TransferSearch } from '../ledger/index.ts';
import {
  AccountFigures,
  AuditLogList,
  createExports,
  createSavedViews,
  EXPORTS_WAITING,
  type ExportsOptions,
} from '../lists/index.ts';
import type { Notices } from '../notices/index.ts';
import { PersonList } from '../people/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import { RequestList } from '../requestlog/index.ts';
import { TicketList } from '../support/index.ts';
import type { Foundation } from './foundation.ts';

/** The page from which a file of this list is downloaded. */
const PAGES: Readonly<Record<StaffList, string>> = {
  accounts: '/operator/accounts',
  audit_log: '/operator/trail',
  invoices: '/operator/books/invoices',
  orders: '/operator/payments',
  people: '/operator/people',
  requests: '/operator/requests',
  tickets: '/operator/tickets',
  transfers: '/operator/ledger/transfers',
};

export function openLists(base: Foundation, notices: Notices) {
  const { tools, log, background } = base;
  const exports = createExports({
    ...tools,
    log,
    record: createChangeRecorder(tools, 'export'),
    tellEnd: endTeller(notices),
  });
  const figures = new AccountFigures(tools);
  // Two exports at once over all replicas; a replica looks for a second one while the first runs.
  base.queues.add({ name: 'exports', waiting: EXPORTS_WAITING, work: () => exports.work(), atOnce: 2 });
  background.every(HOUR_MS, 'old exports', () => exports.clean());
  background.every(MINUTE_MS, 'figures of accounts', async () => {
    await figures.renew();
  });
  return {
    exports,
    views: createSavedViews(tools),
    requestList: new RequestList({ ...tools, archived: base.archive?.days }),
    accountList: new AccountList(tools),
    transferSearch: new TransferSearch(tools),
    auditLogList: new AuditLogList(tools),
    personList: new PersonList(tools),
    ticketList: new TicketList(tools),
  };
}

/** The prefix of actors who are staff; the rest is the person's id. */
const STAFF = 'staff:';

/** A program fetches the file that it asked for; only people are told. */
function endTeller(notices: Notices): ExportsOptions['tellEnd'] {
  return async (tx, { id, owner, list, rows, problem }) => {
    if (!owner.startsWith(STAFF)) return;
    const personId = owner.slice(STAFF.length);
    const data = { export: id, list, rows, problem };
    const link = PAGES[list as StaffList];
    await notices.raise({ accountId: '', personId, event: 'export.ended', occasion: id, data, link }, tx);
  };
}
