/** Alerts, wired: recipients, delivery, and what is watched in the background. */
import { randomInt } from 'node:crypto';
import {
  createNotices,
  createOutages,
  createStaffAlerts,
  createStaffTargets,
  createTargets,
  DUE,
  type MessageSender,
  NoticeOutbox,
  type Notices,
  SettledOutbox,
  StaffOutbox,
  StaffWatch,
  Watch,
} from '../notices/index.ts';
import { languageOfContact } from '../people/index.ts';
import type { Queue } from '../platform/db/index.ts';
import { createSafePost } from '../platform/upstream/index.ts';
import { invoicesToSend } from './accounting.ts';
import type { OpenedBooks } from './books.ts';
import type { Foundation } from './foundation.ts';
import { whoPays } from './recipients.ts';

const WATCH_MS = 30_000;
const MAX_AT_ONCE = 50;
const SCALE = 1_000_000;

export function openNotices(base: Foundation, messenger: MessageSender) {
  const { db, clock, log, secrets, keys, background } = base;
  const staff = createStaffAlerts({ ...base.tools, messenger });
  const notices = createNotices({ ...base.tools, recipients: whoPays, staff });
  // `fetch_allowed_hosts` is not honoured here: a customer's webhook into the operator's network could control what
  // runs there.
  const targets = createTargets(base.tools);
  const post = createSafePost({ clock });
  const chance = () => randomInt(SCALE) / SCALE;
  const outbox = new NoticeOutbox({
    db,
    clock,
    log,
    secrets,
    notices,
    post,
    messenger,
    chance,
    languageOf: async (to) => (await languageOfContact(db, to)) ?? 'fa',
    origin: base.environment.publicUrl,
  });
  // The same guard for webhooks of staff: a stolen session must not control the operator's network either.
  const staffOutbox = new StaffOutbox({
    db,
    clock,
    log,
    secrets,
    post,
    messenger,
    chance,
    origin: base.environment.publicUrl,
  });
  const settledOutbox = new SettledOutbox({ db, clock, secrets, post, notices, chance });
  const watch = new Watch({ db, clock, log, notices, keys });
  const deliver = (name: string, waiting: Queue['waiting'], box: { deliverDue(max: number): Promise<number> }) =>
    base.queues.add({ name, waiting, work: () => box.deliverDue(MAX_AT_ONCE) });
  deliver('notice outbox', DUE('notice_delivery'), outbox);
  deliver('outbox of settled requests', DUE('settled_event'), settledOutbox);
  deliver('staff outbox', DUE('staff_delivery'), staffOutbox);
  background.every(WATCH_MS, 'alerts', () => watch.look());
  const staffTargets = createStaffTargets(base.tools);
  return { notices, targets, staff, staffTargets, outages: createOutages(base), messenger, db, clock };
}

/** Known only to the running service: its replicas. */
export function watchForStaff(base: Foundation, notices: Notices, { admission }: OpenedBooks): void {
  const { db, clock, background } = base;
  const facts = {
    missingReplicas: () => admission.missingReplicas(),
    heldByMissing: async () => (await admission.replicas()).filter((replica) => !replica.living),
    invoicesToSend: () => invoicesToSend(base),
  };
  const watch = new StaffWatch({ db, clock, notices, facts });
  background.every(WATCH_MS, 'staff alerts', () => watch.look());
}
