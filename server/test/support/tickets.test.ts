/** Tickets: who reads what, limit requests that do what they say, and files that stay harmless. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccountService } from '../../src/accounts/index.ts';
import { conversationView } from '../../src/http/schemas/ticket-views.ts';
import { DEFAULT_CALENDAR } from '../../src/keys/index.ts';
import { createNotices } from '../../src/notices/index.ts';
import { createAnnouncements, createIncidents, createTickets, type Tickets } from '../../src/support/index.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';

const clock = new HandClock();
let temporary: TemporaryDatabase;
let tickets: Tickets;
const tools = () => ({ db: temporary.db, clock, randomBytes });
const accounts = () => createAccountService({ ...tools(), defaultCalendar: DEFAULT_CALENDAR });
const notices = () => createNotices({ ...tools(), recipients: async () => ({ email: [], sms: [] }) });

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  tickets = createTickets({ ...tools(), accounts: accounts(), notices: notices() });
  await accounts().create({ id: 'shop', name: 'Shop', rules: { rpm: 10 } }, 'test');
  await accounts().create({ id: 'spy', name: 'Spy' }, 'test');
});
afterAll(() => temporary.remove());

const file = (type = 'text/plain', name = 'log.txt', size = 3) => ({
  name,
  type,
  data: Buffer.alloc(size, 1).toString('base64'),
});
const open = (over = {}) =>
  tickets.open('shop', { category: 'technical', subject: 'slow', text: 'help', ...over }, 'sara');

describe('a conversation', () => {
  it('marks what each side has not read, and tells the customer of an answer', async () => {
    const { id, state } = await open({ requestIds: ['req_1'] });
    expect(state).toBe('open');
    clock.advance(1_000);
    expect((await tickets.read(id, undefined)).ticket).toMatchObject({ unreadByStaff: true, requestIds: ['req_1'] });
    expect((await tickets.list({}, {})).items[0]).toMatchObject({ unreadByStaff: false });
    clock.advance(1_000);
    await tickets.write(id, { accountId: undefined, author: 'support' }, { text: 'try again' });
    const [listed] = (await tickets.list({ accountId: 'shop' }, {})).items;
    expect(listed).toMatchObject({ state: 'answered', unreadByCustomer: true });
    clock.advance(1_000);
    const { messages } = await tickets.read(id, 'shop');
    expect(messages.map(({ side, text }) => [side, text])).toEqual([
      ['customer', 'help'],
      ['staff', 'try again'],
    ]);
    expect((await tickets.list({ accountId: 'shop' }, {})).items[0]?.unreadByCustomer).toBe(false);
    expect((await notices().list('shop', {})).items.map(({ event }) => event)).toContain('ticket.answered');
    expect((await notices().list('', {})).items.map(({ event }) => event)).toContain('ticket.opened');
    await tickets.close(id, 'shop', 'sara');
    await tickets.write(id, { accountId: 'shop', author: 'sara' }, { text: 'again' });
    expect((await tickets.read(id, 'shop')).ticket.state).toBe('open');
  });

  it('tells staff of a reply once, until they answer again', async () => {
    const told = async () =>
      (await notices().list('', { limit: 100 })).items.filter(({ event, data }) => {
        return event === 'ticket.replied' && data['ticket'] === id;
      });
    const say = (accountId: string | undefined) => {
      clock.advance(1_000);
      return tickets.write(id, { accountId, author: 'x' }, { text: 'more' });
    };
    const { id } = await open();
    await say('shop');
    expect(await told(), 'they know of it since it was opened').toHaveLength(0);
    await say(undefined);
    expect((await tickets.read(id, undefined)).ticket.state).toBe('answered');
    await say('shop');
    await say('shop');
    expect((await tickets.read(id, undefined)).ticket.state).toBe('open');
    expect(await told()).toMatchObject([{ data: { ticket: id, subject: 'slow' }, link: `/operator/tickets/${id}` }]);
    await say('shop');
    await say(undefined);
    await Promise.all([say('shop'), say('shop')]);
    expect(await told(), 'two at once are one').toHaveLength(2);
  });

  it('is nobody else’s, not even by its id', async () => {
    const { id } = await open({ attachments: [file()] });
    const { messages } = await tickets.read(id, 'shop');
    const attachment = messages[0]?.attachments[0]?.id ?? '';
    await expect(tickets.read(id, 'spy')).rejects.toMatchObject({ code: 'not_found' });
    await expect(tickets.write(id, { accountId: 'spy', author: 'x' }, { text: 'x' })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(tickets.close(id, 'spy', 'x')).rejects.toMatchObject({ code: 'not_found' });
    await expect(tickets.attachment(id, attachment, 'spy')).rejects.toMatchObject({ code: 'not_found' });
    const other = await tickets.open('spy', { category: 'general', subject: 's', text: 't' }, 'spy');
    await expect(tickets.attachment(other.id, attachment, 'spy')).rejects.toMatchObject({ code: 'not_found' });
    expect((await tickets.attachment(id, attachment, 'shop')).data).toHaveLength(3);
  });

  it('tells the customer that the operator answered, not which person', async () => {
    const { id } = await open();
    await tickets.write(id, { accountId: undefined, author: 'staff:per_01ABC' }, { text: 'try again' });
    await tickets.close(id, undefined, 'staff:per_01ABC');
    const authors = async (reader: 'customer' | 'staff') => {
      const read = await tickets.read(id, reader === 'customer' ? 'shop' : undefined);
      return conversationView(read, reader).messages.map(({ author }) => author);
    };
    expect((await authors('customer')).sort()).toEqual(['operator', 'operator', 'sara']);
    expect((await authors('staff')).sort()).toEqual(['sara', 'staff:per_01ABC', 'staff:per_01ABC']);
  });

  it('takes only small files of harmless kinds', async () => {
    for (const attachments of [
      [file('text/html')],
      [file('image/svg+xml')],
      [file('text/plain', 'x', 3 * 1024 * 1024 + 1)],
      [{ ...file(), data: '<script>' }],
      [file(), file(), file(), file()],
    ])
      await expect(open({ attachments })).rejects.toMatchObject({ code: 'invalid_request' });
    const { id } = await open({ attachments: [file('text/plain', '../../etc/"x"\r\n.txt')] });
    const { messages } = await tickets.read(id, 'shop');
    expect(messages[0]?.attachments[0]?.name).not.toMatch(/["\r\n/]/);
  });

  it('cannot be flooded', async () => {
    const flood = async () => {
      for (let n = 0; n < 40; n++) await tickets.open('spy', { category: 'general', subject: 's', text: 't' }, 'spy');
    };
    await expect(flood()).rejects.toMatchObject({ code: 'rate_limited' });
    await accounts().create({ id: 'crowd', name: 'Crowd' }, 'test');
    const atOnce = await Promise.allSettled(
      Array.from({ length: 40 }, () => tickets.open('crowd', { category: 'general', subject: 's', text: 't' }, 'x')),
    );
    expect(atOnce.filter(({ status }) => status === 'fulfilled')).toHaveLength(30);
  });

  it('fills the database no further than 200 MB of files', async () => {
    const { db } = temporary;
    await accounts().create({ id: 'hoarder', name: 'Hoarder' }, 'test');
    const ticket = { category: 'general', subject: 's', text: 't' };
    const { id } = await tickets.open('hoarder', { ...ticket, attachments: [file()] }, 'x');
    const write = (attachments: ReturnType<typeof file>[]) =>
      tickets.write(id, { accountId: 'hoarder', author: 'x' }, { text: 't', attachments });
    // With the three bytes that are there, three short of what is allowed.
    await db.query(
      `insert into ticket_attachment (id, message_id, name, type, data)
       select 'full-' || n, m.id, 'x', 'text/plain', convert_to(repeat('x', 1024 * 1024 - case n when 1 then 6 else 0 end), 'UTF8')
       from ticket_message m, generate_series(1, 200) n where m.ticket_id = $1`,
      [id],
    );
    const tiny = (size: number) => file('text/plain', 'a.txt', size);
    const refusal = await write([tiny(2), tiny(2)]).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'invalid_request', options: { param: 'attachments' } });
    expect(refusal).toMatchObject({ options: { reason: { fa: expect.stringContaining('200 مگابایت') } } });
    await expect(tickets.open('hoarder', { ...ticket, attachments: [tiny(4)] }, 'x')).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await write([]);
    // Files of staff are the operator's own affair.
    await tickets.write(id, { accountId: undefined, author: 'support' }, { text: 't', attachments: [file()] });
    await write([tiny(3)]);
    await expect(write([tiny(1)])).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('a wish for other limits', () => {
  it('is checked when it is asked, and applied when it is approved, once', async () => {
    await expect(open({ wish: { rules: { rpm: -1 } } })).rejects.toMatchObject({ code: 'invalid_request' });
    const { id, limitRequestState } = await open({ category: 'limits', wish: { rules: { rpm: 600 } } });
    expect(limitRequestState).toBe('asked');
    await tickets.decide(id, true, undefined, 'support');
    expect((await accounts().get('shop')).rules.rpm).toBe(600);
    await expect(tickets.decide(id, true, undefined, 'support')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('can hold nothing that staff do not see before they approve it', async () => {
    await accounts().update(
      'shop',
      { rules: { paused: true, models: ['sandbox/echo'], caps: { daily: 5 } } },
      'chargeback',
    );
    for (const hidden of [{ paused: false }, { models: null }, { endpoints: null }, { caps: null }])
      await expect(open({ category: 'limits', wish: { rules: { rpm: 601, ...hidden } } })).rejects.toMatchObject({
        code: 'invalid_request',
      });
    const { id } = await open({ category: 'limits', wish: { rules: { caps: { monthly: 90 } } } });
    await tickets.decide(id, true, undefined, 'support');
    const { rules } = await accounts().get('shop');
    expect(rules).toMatchObject({ paused: true, models: ['sandbox/echo'] });
    expect(rules.caps).toMatchObject({ daily: 5_000_000n, monthly: 90_000_000n });
  });

  it('is not approved where it cannot be applied', async () => {
    await accounts().upsertConfigAccount({ id: 'filed', name: 'Of the file' });
    const wish = { rules: { rpm: 7 } };
    const { id } = await tickets.open('filed', { category: 'limits', subject: 's', text: 't', wish }, 'x');
    await expect(tickets.decide(id, true, undefined, 'support')).rejects.toMatchObject({ code: 'conflict' });
    const { ticket, messages } = await tickets.read(id, 'filed');
    expect([ticket.limitRequestState, messages.length]).toEqual(['asked', 1]);
  });

  it('changes nothing when it is declined', async () => {
    const { id } = await open({ category: 'limits', wish: { rules: { rpm: 9_999 } } });
    await tickets.decide(id, false, 'not yet', 'support');
    expect((await accounts().get('shop')).rules.rpm).toBe(600);
    expect((await tickets.read(id, 'shop')).ticket.limitRequestState).toBe('declined');
  });
});

describe('what the operator tells', () => {
  it('is shown while it is in force, and incidents end', async () => {
    const [announcements, incidents] = [createAnnouncements(tools()), createIncidents(tools())];
    const text = { fa: 'متن', en: 'text' };
    const { id } = await announcements.announce({ title: text, text, until: new Date(clock.now() + 1_000) }, 'owner');
    expect(await announcements.list(true)).toHaveLength(1);
    clock.advance(2_000);
    expect(await announcements.list(true)).toHaveLength(0);
    await announcements.takeBack(id, 'owner');
    const incident = await incidents.open({ title: text, text, impact: 'major', vendors: ['openai'] }, 'owner');
    const over = await incidents.update(incident.id, { state: 'resolved', text }, 'owner');
    expect(over.updates).toHaveLength(2);
    expect(over.resolvedAt).not.toBeNull();
    await expect(incidents.update(incident.id, { state: 'monitoring', text }, 'owner')).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});
