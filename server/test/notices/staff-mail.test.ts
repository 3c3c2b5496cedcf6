/** What is grave reaches the operator's people also when nobody looks: by e-mail, once, and only those in charge. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createNotices, createStaffAlerts, EVENTS, type EventName, StaffOutbox } from '../../src/notices/index.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import { whoPays } from '../../src/wiring/recipients.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { recordedLog } from '../services/silent-log.ts';

/** By the table of the operators' guide; SMS only for what costs customers or money now. */
const BY_SMS = [
  'books.unproved',
  'database.away',
  'disk.low',
  'journal.growing',
  'model.failing',
  'payments.unreachable',
  'provider.balance_out',
  'provider.credential_dead',
  'sms.unreachable',
];
const GRAVE = [
  ...BY_SMS,
  'approval.asked',
  'books.unfinished',
  'credit.day',
  'invoices.unsent',
  'payment.chargeback',
  'conformance.changed',
  'payment.receipt',
  'payment.stuck',
  'rate.stale',
  'replica.missing',
  'settlement.overdue',
];
const clock = new HandClock();
let temporary: TemporaryDatabase;
let mails: string[];

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  await person('owner', { email: 'owner@example.com', mobile: '09120000001' });
  await person('finance', { email: 'finance@example.com' });
  await person('support', { email: 'support@example.com' });
  await person('viewer', { email: 'viewer@example.com' });
  await person('owner', { mobile: '09120000002' });
  await person('owner', { email: 'blocked@example.com' }, true);
});
afterAll(() => temporary.remove());
beforeEach(() => {
  mails = [];
});

let people = 0;
async function person(role: string, identities: Record<string, string>, blocked = false): Promise<void> {
  const id = `per_${++people}`;
  const { db } = temporary;
  const now = new Date(clock.now());
  await db.query('insert into person (id, name, blocked_at, created_at) values ($1, $1, $2, $3)', [
    id,
    blocked ? now : null,
    now,
  ]);
  await db.query('insert into staff (person_id, role, created_at) values ($1, $2, $3)', [id, role, now]);
  for (const [kind, value] of Object.entries(identities))
    await db.query('insert into identity (id, person_id, kind, value, created_at) values ($1, $2, $3, $4, $5)', [
      `${id}:${kind}`,
      id,
      kind,
      value,
      now,
    ]);
}

function open(canMail: boolean) {
  const { db } = temporary;
  const messenger = {
    can: (channel: 'email' | 'sms') => channel === 'sms' || canMail,
    deliver: async ({ channel, to, subject }: { channel: string; to: string; subject: string }) =>
      void mails.push(`${channel} ${to} ${subject}`),
  };
  const staff = createStaffAlerts({ db, clock, randomBytes, messenger });
  const notices = createNotices({ db, clock, randomBytes, recipients: whoPays, staff });
  const outbox = new StaffOutbox({
    db,
    clock,
    log: recordedLog(),
    secrets: createSecretBox(Buffer.alloc(32, 5)),
    messenger,
    origin: undefined,
    post: async () => 204,
    chance: () => 0,
  });
  const raise = async (occasion: string) => {
    for (const event of Object.keys(EVENTS) as EventName[])
      if (EVENTS[event].staff) await notices.raise({ accountId: '', event, occasion, data: {} });
    await outbox.deliverDue(100);
  };
  return { raise, notices };
}

const TEXTED = ['09120000001', '09120000002'].flatMap((to) =>
  BY_SMS.map((event) => `sms ${to} ${EVENTS[event as EventName].title.fa}`),
);

it('goes to owners and finance once per occasion', async () => {
  const { raise } = open(true);
  await raise('one');
  await raise('one');
  const titles = GRAVE.map((event) => EVENTS[event as EventName].title.fa);
  const wanted = ['finance@example.com', 'owner@example.com'].flatMap((to) =>
    titles.map((title) => `email ${to} ${title}`),
  );
  expect(mails.sort()).toEqual([...wanted, ...TEXTED].sort());
});

it('stays in the console where no e-mail is sent', async () => {
  const { raise, notices } = open(false);
  await raise('two');
  expect(mails.sort()).toEqual([...TEXTED].sort());
  const failed = await temporary.db.query(`select from staff_delivery where state <> 'sent'`);
  expect(failed).toHaveLength(0);
  const { items } = await notices.list('', { limit: 100 });
  expect(items.filter(({ event }) => GRAVE.includes(event))).toHaveLength(2 * GRAVE.length);
});
