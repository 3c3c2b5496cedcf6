/** What the store of people must do with members, staff and management keys, on every database: part of the people suite. */
import { expect, it } from 'vitest';
import { parseContact } from '../../src/people/index.ts';
import { insertIdentity, selectPerson } from '../../src/people/persons.ts';
import { DAY, HERE, HOUR, outcomes, type PeopleStage, times } from '../people/people-stage.ts';

export function members(at: () => PeopleStage): void {
  const team = async (count: number) => {
    const { people, db, person } = at();
    const owner = await person();
    const others: { id: string }[] = [];
    for (let n = 0; n < count; n++) others.push(await person());
    await db.transaction(async (tx) => {
      for (const { id } of others) await people.members.join(tx, owner.accountId, id, 'admin');
    });
    return { owner, others, accountId: owner.accountId };
  };
  const ownersOf = async (accountId: string) =>
    (await at().people.members.of(accountId)).filter(({ role }) => role === 'owner');

  it('always have one owner: leaving, removing and giving away at the same moment', async () => {
    const { people } = at();
    const { owner, others, accountId } = await team(4);
    const [first, second] = others;
    const give = (to?: { id: string }) =>
      people.members.transferOwnership(accountId, owner.id, to?.id ?? '', `person:${owner.id}`);
    const { refused } = await outcomes([
      ...others.map((other) => give(other)),
      people.members.remove(accountId, owner.id, 'leave'),
      people.members.remove(accountId, first?.id ?? '', 'leave'),
      people.members.remove(accountId, second?.id ?? '', 'leave'),
      people.members.changeRole(accountId, owner.id, 'viewer', 'x'),
    ]);
    expect(Object.keys(refused).every((code) => ['conflict', 'forbidden', 'not_found'].includes(code))).toBe(true);
    expect(await ownersOf(accountId)).toHaveLength(1);
  });

  it('give the ownership away once', async () => {
    const { people } = at();
    const { owner, others, accountId } = await team(5);
    const gifts = others.map(({ id }) => people.members.transferOwnership(accountId, owner.id, id, 'x'));
    expect(await outcomes(gifts)).toEqual({ done: 1, refused: { forbidden: 4 } });
    expect(await ownersOf(accountId)).toHaveLength(1);
    await expect(people.members.transferOwnership(accountId, owner.id, owner.id, 'x')).rejects.toThrow();
  });

  it('join by an invitation once, whoever owns what was invited', async () => {
    const { people, db, person } = at();
    const { accountId } = await team(0);
    const guest = await person();
    const by = { actor: 'x', name: 'Sara' };
    const { invitation, secret } = await people.members.invite(accountId, parseContact(guest.to), 'billing', by);
    const accept = (personId: string) => db.transaction((tx) => people.members.accept(invitation, personId, tx));
    await expect(accept((await person()).id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await outcomes(times(20, () => accept(guest.id)))).toEqual({ done: 1, refused: { not_found: 19 } });
    expect((await people.members.of(accountId)).map(({ role }) => role).sort()).toEqual(['billing', 'owner']);
    await expect(people.members.findInvitation(secret)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('keep the role they have when a second invitation comes by another contact', async () => {
    const { people, db, clock, person, number } = at();
    const { accountId } = await team(0);
    const guest = await person();
    const spare = number();
    const identity = { id: `idn-${spare}`, personId: guest.id, ...parseContact(spare), createdAt: new Date(clock.ms) };
    await insertIdentity(db, identity);
    const by = { actor: 'x', name: 'Sara' };
    const invite = (to: string, role: 'admin' | 'viewer') =>
      people.members.invite(accountId, parseContact(to), role, by);
    const both = [await invite(guest.to, 'viewer'), await invite(spare, 'admin')];
    const accepted = both.map(({ invitation }) =>
      db.transaction((tx) => people.members.accept(invitation, guest.id, tx)),
    );
    expect((await outcomes(accepted)).done).toBe(2);
    expect(await people.members.of(accountId)).toHaveLength(2);
  });

  it('are not joined by an invitation that was replaced, withdrawn, is too old, or to a closed account', async () => {
    const { people, db, clock, number } = at();
    const { accountId, owner } = await team(0);
    const contact = parseContact(number());
    const invite = () => people.members.invite(accountId, contact, 'viewer', { actor: 'x', name: 'S' });
    const gone = (secret: string) =>
      expect(people.members.findInvitation(secret)).rejects.toMatchObject({ code: 'not_found' });
    const first = await invite();
    const second = await invite();
    await gone(first.secret);
    await people.members.withdraw(accountId, second.invitation.id, 'x');
    await gone(second.secret);
    const third = await invite();
    clock.ms += 7 * DAY;
    await gone(third.secret);
    const fourth = await invite();
    await db.query('update account set closed_at = $2 where id = $1', [accountId, new Date(clock.ms)]);
    await gone(fourth.secret);
    expect((await selectPerson(db, owner.id)).id).toBe(owner.id);
  });
}

export function staff(at: () => PeopleStage): void {
  it('keep an owner, though two remove each other at the same moment', async () => {
    const { people, db, person } = at();
    await db.query('delete from staff');
    const pair = [await person(), await person()];
    for (const { id } of pair) await db.transaction((tx) => people.staff.add(tx, id, 'owner', 'x'));
    const again = db.transaction((tx) => people.staff.add(tx, pair[0]?.id ?? '', 'viewer', 'x'));
    await expect(again).rejects.toMatchObject({ code: 'conflict' });
    expect(await outcomes(pair.map(({ id }) => people.staff.remove(id, 'x')))).toEqual({
      done: 1,
      refused: { conflict: 1 },
    });
    const [left] = await people.staff.list();
    expect(left?.role).toBe('owner');
    await expect(people.staff.change(left?.personId ?? '', 'viewer', 'x')).rejects.toMatchObject({ code: 'conflict' });
  });
}

export function managementKeys(at: () => PeopleStage): void {
  it('are found by their whole text, from their addresses, until they expire or are revoked', async () => {
    const { people, db, clock, person } = at();
    const { accountId } = await person();
    const make = async (more: object) => {
      const given = { name: 'k', resources: { keys: 'read' as const }, ips: null, expiresAt: null, ...more };
      return people.managementKeys.create(accountId, given, ['keys'], 'x');
    };
    const { key, text } = await make({ ips: ['198.51.100.0/24'] });
    expect(await people.managementKeys.find(text, HERE)).toMatchObject({ id: key.id, accountId });
    expect(await people.managementKeys.find(text, '203.0.113.9')).toBeUndefined();
    expect(await people.managementKeys.find(text.slice(0, -1), HERE)).toBeUndefined();
    const [row] = await db.query('select * from management_key where id = $1', [key.id]);
    expect(JSON.stringify(row)).not.toContain(text.slice(8));
    const short = await make({ expiresAt: new Date(clock.ms + HOUR).toISOString() });
    clock.ms += HOUR;
    expect(await people.managementKeys.find(short.text, HERE)).toBeUndefined();
    await expect(people.managementKeys.revoke('another', key.id, 'x')).rejects.toMatchObject({ code: 'not_found' });
    await people.managementKeys.revoke(accountId, key.id, 'x');
    expect(await people.managementKeys.find(text, HERE)).toBeUndefined();
  });
}
