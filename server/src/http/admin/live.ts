/**
 * `/api/admin/live`: the one connection of an open operator console. It reports which things of all accounts changed.
 */

import { getAccountWallet, listAccounts } from '@dargah/api/admin/accounts.ts';
import { listAccountMembers, listNotes } from '@dargah/api/admin/desk.ts';
import { listKeys } from '@dargah/api/admin/keys.ts';
import { followService } from '@dargah/api/admin/live.ts';
import { listManagedModels } from '@dargah/api/admin/models.ts';
import { listOperatorTokens } from '@dargah/api/admin/operator-tokens.ts';
import { listPayments } from '@dargah/api/admin/payments.ts';
import { listStaff } from '@dargah/api/admin/people.ts';
import { getTraffic } from '@dargah/api/admin/requests.ts';
import { getSettings } from '@dargah/api/admin/service.ts';
import { listAnnouncements, listStaffNotices, listTickets } from '@dargah/api/admin/support.ts';
import { listGiftCodes, listPaymentGateways } from '@dargah/api/admin/ways-to-pay.ts';
import type { StaffRole } from '@dargah/core/roles.ts';
import type { ChangedThing, ChangeFeed } from '../../platform/changes.ts';
import type { RequestLog } from '../../requestlog/index.ts';
import { ChangeMailbox, changeFrame, LiveConnectionSlots, type LiveTools, liveAnswer } from '../live-answer.ts';
import type { Register } from '../routes/register.ts';

export interface ServiceLiveServices extends LiveTools {
  log: RequestLog;
  feed: ChangeFeed;
}

const MAX_PER_PERSON = 10;
/** Check for ended requests on every fifth poll; the sums are expensive. */
const LOOKS_PER_USAGE = 5;
const USAGE_BACK_MS = 15 * 60_000;
const USAGE_ROWS = 50;

/** Staff are told of changes to things that they may read, and never of an account's private ones. */
const READERS: Record<ChangedThing, readonly StaffRole[]> = {
  account: listAccounts.access.roles,
  alerts: [],
  announcements: listAnnouncements.access.roles,
  batches: [],
  catalog: listManagedModels.access.roles,
  gateways: listPaymentGateways.access.roles,
  gift_codes: listGiftCodes.access.roles,
  keys: listKeys.access.roles,
  knowledge: [],
  management_keys: [],
  members: listAccountMembers.access.roles,
  notes: listNotes.access.roles,
  notices: [],
  operator_tokens: listOperatorTokens.access.roles,
  orders: [...listPayments.access.roles, ...listPayments.access.ofOneAccount],
  settings: getSettings.access.roles,
  staff: listStaff.access.roles,
  staff_notices: listStaffNotices.access.roles,
  tickets: listTickets.access.roles,
  usage: getTraffic.access.roles,
  wallet: getAccountWallet.access.roles,
};

export function serviceLive(register: Register, services: ServiceLiveServices): void {
  const { feed } = services;
  const connectionSlots = new LiveConnectionSlots(MAX_PER_PERSON);
  register(followService, async ({ who, enterAgain }) => {
    const leave = connectionSlots.acquire(who.actor);
    const mailbox = new ChangeMailbox();
    const usage = usageMark(services);
    let unfollow = () => {};
    return liveAnswer(
      services,
      { who, enterAgain },
      {
        async begin() {
          unfollow = feed.followAll(mailbox);
          await usage.changed();
        },
        async look({ role }) {
          const heard = mailbox.drain((what) => READERS[what].includes(role));
          if (await usage.changed()) heard.push({ what: 'usage', id: null });
          return heard.map(changeFrame);
        },
        entryChanged: () => mailbox.holds('staff'),
        end() {
          unfollow();
          leave();
        },
      },
    );
  });
}

/** True when requests have ended since the last poll. */
function usageMark({ log, clock }: ServiceLiveServices) {
  let looks = 0;
  let mark: string | undefined;
  return {
    async changed(): Promise<boolean> {
      if (looks++ % LOOKS_PER_USAGE !== 0) return false;
      const { requests } = await log.list({ from: clock.now() - USAGE_BACK_MS }, { limit: USAGE_ROWS });
      const before = mark;
      mark = requests.map(({ id, state }) => `${id} ${state}`).join();
      return before !== undefined && mark !== before;
    },
  };
}
