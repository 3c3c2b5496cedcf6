import { scryptSync } from 'node:crypto';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseContact } from '../../src/people/index.ts';
import { updatePerson } from '../../src/people/person-rows.ts';
import { insertIdentity, selectIdentities, selectPerson } from '../../src/people/persons.ts';
import {
  AT_ONCE,
  HERE,
  HOUR,
  openPeopleStage,
  outcomes,
  type PeopleStage,
  SIGN_IN_CLIENT,
  times,
} from '../people/people-stage.ts';
import type { DatabaseUnderTest } from './database.suite.ts';
import { counted, sessions } from './people-sessions.ts';
import { managementKeys, members, staff } from './people-teams.ts';

export function peopleSuite(name: string, open: () => Promise<DatabaseUnderTest>): void {
  describe(`people conformance: ${name}`, () => {
    let subject: DatabaseUnderTest;
    let stage: PeopleStage;
    beforeAll(async () => {
      subject = await open();
      stage = await openPeopleStage(subject.db);
    }, 120_000);
    afterAll(async () => {
      await stage?.people.passwords.close();
      await subject?.close();
    });
    // Neither limits of an hour nor a closed sign-up reach into the next test.
    beforeEach(() => {
      stage.clock.ms += HOUR;
      stage.settings.registration = 'open';
    });

    describe('codes', () => codes(() => stage));
    describe('persons and their ways in', () => persons(() => stage));
    describe('sessions', () => sessions(() => stage));
    describe('members and invitations', () => members(() => stage));
    describe('staff', () => staff(() => stage));
    describe('what is counted', () => counted(() => stage));
    describe('management keys', () => managementKeys(() => stage));
  });
}

const MINUTE = 60_000;
const wrongOf = (code: string) => String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0');

function codes(at: () => PeopleStage): void {
  it('are redeemed once, however many try at the same moment', async () => {
    const { people, db, number } = at();
    const to = number();
    const code = await at().code(parseContact(to), 'sign-in', HERE);
    const tries = times(5, () => people.signIn.withCode(to, code, {}, SIGN_IN_CLIENT));
    const { done, refused } = await outcomes(tries);
    expect([done, refused]).toEqual([1, { wrong_code: 4 }]);
    const [row] = await db.query<{ count: bigint }>('select count(*) as count from identity where value = $1', [to]);
    expect(row?.count).toBe(1n);
  });

  it('let exactly one of fifty in, or none, and never two', async () => {
    const { people, number } = at();
    const to = number();
    const contact = parseContact(to);
    const code = await at().code(contact, 'sign-in', HERE);
    const { done, refused } = await outcomes(times(AT_ONCE, () => people.codes.use(contact, 'sign-in', code, HERE)));
    expect(done).toBe(1);
    expect((refused['wrong_code'] ?? 0) + (refused['rate_limited'] ?? 0)).toBe(AT_ONCE - 1);
  });

  it('take five wrong tries of a network, also at once, and the right one from any other', async () => {
    const { people, number } = at();
    const contact = parseContact(number());
    const code = await at().code(contact, 'sign-in', HERE);
    const guesses = times(AT_ONCE, () => people.codes.use(contact, 'sign-in', wrongOf(code), HERE));
    expect((await outcomes(guesses)).refused).toEqual({ wrong_code: 5, rate_limited: AT_ONCE - 5 });
    await expect(people.codes.use(contact, 'sign-in', code, HERE)).rejects.toMatchObject({ code: 'rate_limited' });
    await people.codes.use(contact, 'sign-in', code, '192.0.2.1');
  });

  it('tell how many tries are left', async () => {
    const { people, number } = at();
    const contact = parseContact(number());
    const code = await at().code(contact, 'sign-in', HERE);
    for (const left of [4, 3, 2, 1, 0]) {
      const refusal = await people.codes.use(contact, 'sign-in', wrongOf(code), HERE).catch((error) => error);
      expect(refusal).toMatchObject({ options: { detail: { tries_left: left } } });
      // Another code may be locked for a while: the text says what is left, and does not send people for a new one.
      expect(refusal.text('fa')).toContain(left === 0 ? 'تلاش دیگری' : left.toLocaleString('fa'));
      expect(refusal.text('fa') + refusal.text('en')).not.toMatch(/کد جدید|new one/);
    }
  });

  it('end after ten minutes, and serve one purpose and one contact', async () => {
    const { people, clock, number } = at();
    const contact = parseContact(number());
    const other = parseContact(number());
    const refused = (use: Promise<void>) => expect(use).rejects.toMatchObject({ code: 'wrong_code' });
    const first = await at().code(contact, 'sign-in', HERE);
    await refused(people.codes.use(other, 'sign-in', first, HERE));
    await refused(people.codes.use(contact, 'add-method', first, HERE));
    clock.ms += 10 * MINUTE;
    await refused(people.codes.use(contact, 'sign-in', first, HERE));
    const second = await at().code(contact, 'sign-in', HERE);
    if (first !== second) await refused(people.codes.use(contact, 'sign-in', first, HERE));
    clock.ms += 10 * MINUTE - 1;
    await people.codes.use(contact, 'sign-in', second, HERE);
  });

  it('are the same in every message while they live, and known networks have messages of their own', async () => {
    const { people, clock, person } = at();
    const { to } = await person();
    const contact = parseContact(to);
    clock.ms += 10 * MINUTE;
    const strangers = await people.codes.order(contact, 'sign-in', '192.0.2.1');
    const others = await people.codes.order(contact, 'sign-in', '203.0.113.1');
    const own = await people.codes.order(contact, 'sign-in', HERE);
    expect([strangers.resendAfterMs, others.resendAfterMs, own.resendAfterMs]).toEqual([MINUTE, 10 * MINUTE, MINUTE]);
    expect([others.code, own.code]).toEqual([undefined, strangers.code]);
    // It lives ten minutes from each message that carried it, and another takes its place once the first message is old.
    clock.ms += 9 * MINUTE;
    expect((await people.codes.order(contact, 'sign-in', HERE)).code).toBe(own.code);
    clock.ms += 2 * MINUTE;
    const next = await people.codes.order(contact, 'sign-in', HERE);
    expect(next.code).not.toBe(own.code);
    await people.codes.use(contact, 'sign-in', next.code ?? '', '203.0.113.1');
  });

  it('are kept as a keyed digest alone, and forgotten', async () => {
    const { people, db, clock, number } = at();
    const contact = parseContact(number());
    const code = await at().code(contact, 'sign-in', HERE);
    const rows = await db.query<Record<string, unknown>>('select * from sign_in_code where contact = $1', [
      contact.value,
    ]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify({ ...rows[0], sent_at: '', expires_at: '', contact: '' })).not.toContain(code);
    clock.ms += 2 * HOUR;
    await people.codes.forgetOld();
    expect(await db.query('select 1 from sign_in_code where contact = $1', [contact.value])).toEqual([]);
  });

  it('cause the same statements for known and unknown, and are sent only where they are wanted', async () => {
    const { people, settings, sent, number, person } = at();
    const known = await person();
    settings.registration = 'closed';
    const words = { language: 'fa', host: 'dargah.test' } as const;
    at().clock.ms += 10 * MINUTE;
    const unknown = number();
    const answers = [];
    for (const to of [known.to, unknown]) answers.push(await people.signIn.sendCode(to, 'sign-in', '192.0.2.1', words));
    settings.registration = 'open';
    expect(answers.map(({ contact: _contact, ...rest }) => rest)).toEqual([
      { sent: true, digits: 6, expiresInMs: 600_000, resendAfterMs: 60_000 },
      { sent: true, digits: 6, expiresInMs: 600_000, resendAfterMs: 60_000 },
    ]);
    expect(sent.map(({ to }) => to)).toContain(known.to);
    expect(sent.map(({ to }) => to)).not.toContain(unknown);
  });
}

function persons(at: () => PeopleStage): void {
  it('sign up once and come back as themselves, with whatever is written', async () => {
    const { people, enter, clock, number } = at();
    const to = number();
    const first = await enter(to, { name: 'Sara' });
    clock.ms += 61_000;
    const second = await enter(`+98${to.slice(1)}`);
    expect([first, second]).toMatchObject([
      { kind: 'session', isNew: true },
      { kind: 'session', isNew: false, personId: first.kind === 'session' ? first.personId : '' },
    ]);
    const [membership] = first.kind === 'session' ? await people.members.ofPerson(first.personId) : [];
    expect(membership).toMatchObject({ role: 'owner', accountName: 'Sara' });
  });

  it('keep a way in, though all are removed at the same moment', async () => {
    const { people, db, clock, person, number } = at();
    const { id } = await person();
    for (let n = 0; n < 3; n++)
      await people.signIn.addMethod({
        id: `idn-${id}-${n}`,
        personId: id,
        kind: 'mobile',
        value: number(),
        createdAt: new Date(clock.ms),
      });
    const all = await selectIdentities(db, [id]);
    const { done, refused } = await outcomes(all.map((one) => people.signIn.removeMethod(id, one.id)));
    expect([all.length, done, refused]).toEqual([4, 3, { conflict: 1 }]);
    expect(await selectIdentities(db, [id])).toHaveLength(1);
  });

  it('do not share a number', async () => {
    const { db, clock, person } = at();
    const first = await person();
    const second = await person();
    const taken = { id: 'idn-taken', personId: second.id, ...parseContact(first.to), createdAt: new Date(clock.ms) };
    await expect(insertIdentity(db, taken)).rejects.toMatchObject({ code: 'conflict', options: { param: 'to' } });
  });

  it('who are invited where sign-up is closed come into that account and open none', async () => {
    const { people, settings, enter, person, number } = at();
    const host = await person();
    const to = number();
    await people.members.invite(host.accountId, parseContact(to), 'viewer', { actor: 'a', name: 'Sara' });
    settings.registration = 'closed';
    const entry = await enter(to);
    await expect(enter(number())).rejects.toMatchObject({ code: 'registration_closed' });
    settings.registration = 'open';
    const found = entry.kind === 'session' ? await people.members.ofPerson(entry.personId) : [];
    expect(found.map(({ accountId, role }) => [accountId, role])).toEqual([[host.accountId, 'viewer']]);
  });

  it('are made once when the operator of the first start comes twice at once', async () => {
    const { people } = at();
    const found = await Promise.all(times(10, () => people.operator.person()));
    expect(new Set(found.map(({ id }) => id)).size).toBe(1);
  });

  it('use a code of the app once, and may guess ten times an hour however many sign-ins they began', async () => {
    const { people, clock, person } = at();
    const { id } = await person();
    const { secret } = await people.secondFactor.begin(id, 'x');
    const now = () => generateSync({ secret, epoch: Math.floor(clock.ms / 1000) });
    await people.secondFactor.confirm(id, now());
    await expect(people.secondFactor.check(id, now())).rejects.toMatchObject({ code: 'wrong_code' });
    clock.ms += 60_000;
    const once = now();
    expect((await outcomes(times(5, () => people.secondFactor.check(id, once)))).done).toBe(1);
    clock.ms += HOUR;
    const wrong = String((Number(now()) + 1) % 1_000_000).padStart(6, '0');
    const { refused } = await outcomes(times(AT_ONCE, () => people.secondFactor.check(id, wrong)));
    expect(refused).toEqual({ wrong_code: 10, rate_limited: AT_ONCE - 10 });
    await expect(people.secondFactor.check(id, now())).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('with a password are let in as often as it is right, and refused after ten wrong ones', async () => {
    const { people, db, person } = at();
    const { id, to } = await person();
    await updatePerson(db, id, { passwordHash: await people.passwords.hash('correct horse') });
    const with_ = (password: string) => people.signIn.withPassword(to, password, SIGN_IN_CLIENT);
    for (let n = 0; n < 11; n++) expect((await with_('correct horse')).kind).toBe('session');
    const { refused } = await outcomes(times(14, () => with_('wrong horse')));
    expect(refused).toEqual({ wrong_credentials: 10, rate_limited: 4 });
    await expect(with_('correct horse')).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('whose hash was made with less work sign in as before, and have it made anew', async () => {
    const { people, db, person } = at();
    const { id, to } = await person();
    // As 0.1.0 wrote it.
    const salt = Buffer.from('0123456789abcdef');
    const work = { cost: 32_768, blockSize: 8, parallelization: 1, maxmem: 2 ** 27 };
    const old = [
      'scrypt',
      32_768,
      8,
      1,
      salt.toString('base64'),
      scryptSync('the old one', salt, 32, work).toString('base64'),
    ];
    await updatePerson(db, id, { passwordHash: old.join('$') });
    const hash = async () => (await selectPerson(db, id)).passwordHash ?? '';
    await expect(people.signIn.withPassword(to, 'the wrong one', SIGN_IN_CLIENT)).rejects.toMatchObject({
      code: 'wrong_credentials',
    });
    expect(await hash()).toBe(old.join('$'));
    expect((await people.signIn.withPassword(to, 'the old one', SIGN_IN_CLIENT)).kind).toBe('session');
    const renewed = await hash();
    expect(renewed).not.toBe(old.join('$'));
    expect((await people.signIn.withPassword(to, 'the old one', SIGN_IN_CLIENT)).kind).toBe('session');
    expect(await hash()).toBe(renewed);
  });

  it('sign in by the right password, many at once, and are not locked out by it', async () => {
    const { people, db, person } = at();
    const { id, to } = await person();
    await updatePerson(db, id, { passwordHash: await people.passwords.hash('correct horse') });
    const enter = () => people.signIn.withPassword(to, 'correct horse', SIGN_IN_CLIENT);
    await outcomes(times(AT_ONCE, enter));
    expect((await enter()).kind).toBe('session');
  });

  it('cannot be tried one password each, from one address or from one network', async () => {
    const { people, number } = at();
    const guess = (address: string) =>
      people.signIn
        .withPassword(number(), 'password1234', { ...SIGN_IN_CLIENT, address })
        .catch(({ code }) => code as string);
    const from = async (count: number, address: string) => {
      const found: unknown[] = [];
      for (let n = 0; n < count; n++) found.push(await guess(address));
      return found;
    };
    const wrong = (count: number) => Array.from({ length: count }, () => 'wrong_credentials');
    expect(await from(13, '203.0.113.1')).toEqual([...wrong(12), 'rate_limited']);
    expect(await from(3, '203.0.113.2')).toEqual([...wrong(2), 'rate_limited']);
    expect(await from(1, '192.0.2.1')).toEqual(wrong(1));
  });
}
