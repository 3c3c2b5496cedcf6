/**
 * `/api/console/live`: the one connection of an open console. It reports which things changed, and requests that ended.
 */

import { getOwnAccount } from '@dargah/api/console/account.ts';
import { listAlertRules, listNotices } from '@dargah/api/console/alerts.ts';
import { listOwnBatches } from '@dargah/api/console/batches.ts';
import { listKeys } from '@dargah/api/console/keys.ts';
import { listBases } from '@dargah/api/console/knowledge.ts';
import { followAccount } from '@dargah/api/console/live.ts';
import { listManagementKeys } from '@dargah/api/console/management-keys.ts';
import { listMembers } from '@dargah/api/console/members.ts';
import { listOfferedModels } from '@dargah/api/console/offered-models.ts';
import { getWallet } from '@dargah/api/console/own-money.ts';
import { followRequests } from '@dargah/api/console/own-requests.ts';
import { listOwnOrders } from '@dargah/api/console/payments.ts';
import { listOwnAnnouncements, listOwnTickets } from '@dargah/api/console/tickets.ts';
import { getUsageSeries } from '@dargah/api/console/usage.ts';
import type { MemberRole } from '@dargah/core/roles.ts';
import type { ChangedThing, ChangeFeed } from '../../platform/changes.ts';
import type { RequestLog } from '../../requestlog/index.ts';
import { ChangeMailbox, changeFrame, LiveConnectionSlots, type LiveTools, liveAnswer } from '../live-answer.ts';
import type { Register } from '../routes/register.ts';
import { RequestTail } from './request-tail.ts';
import { requestFrame } from './requests.ts';

export interface LiveServices extends LiveTools {
  log: RequestLog;
  feed: ChangeFeed;
  /** Changes whenever a document of the account changed. */
  documentMark(accountId: string): Promise<string>;
}

const MAX_PER_ACCOUNT = 40;

/** A member hears of changes to things that they may read, and of nothing else. */
const READERS: Record<ChangedThing, readonly MemberRole[]> = {
  account: getOwnAccount.access.roles,
  alerts: listAlertRules.access.roles,
  announcements: listOwnAnnouncements.access.roles,
  batches: listOwnBatches.access.roles,
  catalog: listOfferedModels.access.roles,
  gateways: [],
  gift_codes: [],
  keys: listKeys.access.roles,
  knowledge: listBases.access.roles,
  management_keys: listManagementKeys.access.roles,
  members: listMembers.access.roles,
  notes: [],
  notices: listNotices.access.roles,
  operator_tokens: [],
  orders: listOwnOrders.access.roles,
  settings: [],
  staff: [],
  staff_notices: [],
  tickets: listOwnTickets.access.roles,
  usage: getUsageSeries.access.roles,
  wallet: getWallet.access.roles,
};
const LOG_READERS: readonly MemberRole[] = followRequests.access.roles;

export function liveRoutes(register: Register, services: LiveServices): void {
  const { feed } = services;
  const connectionSlots = new LiveConnectionSlots(MAX_PER_ACCOUNT);
  register(followAccount, async ({ who, enterAgain }) => {
    const leave = connectionSlots.acquire(who.accountId);
    const mailbox = new ChangeMailbox();
    const news = accountNews(services, who.accountId);
    let unfollow = () => {};
    return liveAnswer(
      services,
      { who, enterAgain },
      {
        async begin() {
          unfollow = feed.followAccount(who.accountId, mailbox);
          await news.begin();
        },
        async look({ role }) {
          // News is taken before the database is asked, so that other subscribers have handled the same news when the page
          // reads.
          const heard = mailbox.drain((what) => READERS[what].includes(role));
          const { ended, changes } = await news.look();
          const readsLog = LOG_READERS.includes(role);
          const found = changes.filter(({ what }) => READERS[what].includes(role) && !(readsLog && what === 'usage'));
          return [...(readsLog ? ended.map(requestFrame) : []), ...[...heard, ...found].map(changeFrame)];
        },
        entryChanged: () => mailbox.holds('account', 'members'),
        end() {
          unfollow();
          leave();
        },
      },
    );
  });
}

/** What is found by polling: requests that ended, and documents that advanced. */
function accountNews({ log, clock, documentMark }: LiveServices, accountId: string) {
  const tail = new RequestTail({ log, clock }, { accountId });
  let mark = '';
  return {
    async begin() {
      await tail.look();
      mark = await documentMark(accountId);
    },
    async look() {
      const ended = await tail.look();
      const before = mark;
      mark = await documentMark(accountId);
      const changes: { what: ChangedThing; id: null }[] = [];
      if (ended.length > 0) changes.push({ what: 'usage', id: null });
      if (mark !== before) changes.push({ what: 'knowledge', id: null });
      return { ended, changes };
    },
  };
}
