/** Lists of many rows, wired to the background: exports are made and figures of accounts renewed while nobody waits. */
import { HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import { AccountList } from '../accounts/index.ts';
import { TransferSearch } from '../ledger/index.ts';
import { AccountFigures, AuditLogList, createExports, createSavedViews } from '../lists/index.ts';
import { PersonList } from '../people/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import { RequestList } from '../requestlog/index.ts';
import { TicketList } from '../support/index.ts';
import type { Foundation } from './foundation.ts';

const LOOK_MS = 1_000;

export function openLists(base: Foundation) {
  const { tools, log, background } = base;
  const exports = createExports({ ...tools, log, record: createChangeRecorder(tools, 'export') });
  const figures = new AccountFigures(tools);
  // Two at once over all replicas; a replica looks for its second one while the first runs.
  for (const worker of ['first', 'second']) {
    background.every(LOOK_MS, `exports, ${worker} worker`, async () => {
      await exports.work();
    });
  }
  background.every(HOUR_MS, 'old exports', () => exports.clean());
  background.every(MINUTE_MS, 'figures of accounts', async () => {
    await figures.renew();
  });
  return {
    exports,
    views: createSavedViews(tools),
    requestList: new RequestList(tools),
    accountList: new AccountList(tools),
    transferSearch: new TransferSearch(tools),
    auditLogList: new AuditLogList(tools),
    personList: new PersonList(tools),
    ticketList: new TicketList(tools),
  };
}
