/** Sessions, and what is counted over all replicas: part of the suite of people. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { Attempts } from '../../src/people/attempts.ts';
import { updatePerson } from '../../src/people/person-rows.ts';
import { SignInTickets } from '../../src/people/tickets.ts';
import { AT_ONCE, DAY, HERE, HOUR, outcomes, type PeopleStage, SIGN_IN_CLIENT, times } from '../people/people-stage.ts';

export function sessions(at: () => PeopleStage): void {
  const begin = async (former?: string) => {
    const { people, person } = at();
    const { id: personId } = await person();
    return { personId, ...(await people.sessions.begin(personId, 'mobile', false, SIGN_IN_CLIENT, former)) };
  };

  it('slide: thirty days from the last use, and the browser is told', async () => {
    const { people, clock } = at();
    const { secret, id } = await begin();
    expect(await people.sessions.find(secret)).toMatchObject({ id, renewed: false });
    clock.ms += 29 * DAY;
    expect(await people.sessions.find(secret)).toMatchObject({ id, renewed: true });
    clock.ms += 29 * DAY;
    expect(await people.sessions.find(secret)).toMatchObject({ id, renewed: true });
    clock.ms += 30 * DAY + 1;
    expect(await people.sessions.find(secret)).toBeUndefined();
  });

  it('are new at every sign-in, and what the browser had before ends', async () => {
    const { people } = at();
    const planted = await begin();
    const fresh = await begin(planted.secret);
    expect(fresh.secret).not.toBe(planted.secret);
    expect(await people.sessions.find(planted.secret)).toBeUndefined();
    expect(await people.sessions.find(fresh.secret)).toMatchObject({ id: fresh.id });
  });

  it('are known by their digest alone', async () => {
    const { db } = at();
    const { secret, id } = await begin();
    const [row] = await db.query<Record<string, unknown>>('select * from session where id = $1', [id]);
    expect(JSON.stringify(row)).not.toContain(secret);
    expect(row?.['digest']).toHaveLength(32);
  });

  it('end one by one, only for their person, all but one, and with a blocked person', async () => {
    const { people, db, clock } = at();
    const mine = await begin();
    const other = await people.sessions.begin(mine.personId, 'mobile', false, SIGN_IN_CLIENT, undefined);
    const foreign = await begin();
    await expect(people.sessions.end(mine.personId, foreign.id)).rejects.toMatchObject({ code: 'not_found' });
    // Signing up began one too.
    expect(await people.sessions.endAll(mine.personId, mine.id)).toBe(2);
    expect(await people.sessions.find(other.secret)).toBeUndefined();
    await people.sessions.end(mine.personId, mine.id);
    expect(await people.sessions.find(mine.secret)).toBeUndefined();
    expect(await people.sessions.find(foreign.secret)).toBeDefined();
    await updatePerson(db, foreign.personId, { blockedAt: new Date(clock.ms) });
    expect(await people.sessions.find(foreign.secret)).toBeUndefined();
  });

  it('all end with a new password but the one that set it', async () => {
    const { people } = at();
    const mine = await begin();
    const other = await people.sessions.begin(mine.personId, 'mobile', false, SIGN_IN_CLIENT, undefined);
    const keep = { sessionId: mine.id, address: HERE };
    await people.signIn.setPassword(mine.personId, undefined, 'correct horse battery', keep, () => false);
    expect(await people.sessions.find(mine.secret)).toBeDefined();
    expect(await people.sessions.find(other.secret)).toBeUndefined();
  });
}

export function counted(at: () => PeopleStage): void {
  it('is exact when many come at once, and begins anew with the next span', async () => {
    const { db, clock } = at();
    const attempts = new Attempts(db, clock);
    const limits = [
      { counter: 'suite-a', max: 7, spanMs: HOUR },
      { counter: 'suite-b', max: 1_000, spanMs: DAY },
    ];
    const { done, refused } = await outcomes(times(AT_ONCE, () => attempts.count(limits)));
    expect([done, refused]).toEqual([7, { rate_limited: AT_ONCE - 7 }]);
    clock.ms += HOUR;
    expect((await outcomes([attempts.count(limits)])).done).toBe(1);
  });

  it('costs nothing on the wider limits once a narrower one refuses, and nothing on the one that refuses', async () => {
    const { db, clock } = at();
    const attempts = new Attempts(db, clock);
    const own = (name: string) => ({ counter: `suite-own-${name}`, max: 3, spanMs: HOUR });
    const shared = { counter: 'suite-shared', max: 8, spanMs: HOUR };
    await outcomes(times(AT_ONCE, () => attempts.count([own('thief'), shared])));
    expect(await attempts.hasRoom([own('thief')])).toBe(false);
    // Of fifty tries three were counted on what everybody shares.
    expect(await attempts.count([own('other'), shared])).toBe(2);
    expect(await outcomes(times(5, () => attempts.count([shared])))).toEqual({ done: 4, refused: { rate_limited: 1 } });
    await expect(attempts.guess([own('third'), shared], async () => true)).rejects.toMatchObject({
      code: 'rate_limited',
    });
    // The refused guess took back what it had counted before the refusal.
    expect(await attempts.count([own('third')])).toBe(2);
  });

  it('is deleted once its span is over', async () => {
    const { db, clock } = at();
    const attempts = new Attempts(db, clock);
    const minute = { counter: 'suite-old-minute', max: 9, spanMs: 60_000 };
    const month = { counter: 'suite-old-month', max: 9, spanMs: 30 * DAY };
    await attempts.count([minute, month]);
    clock.ms += 2 * HOUR;
    await attempts.forgetOld();
    const left = await db.query<{ bucket: string }>("select bucket from attempt_count where bucket like 'suite-old%'");
    expect(left.map(({ bucket }) => bucket)).toEqual([`suite-old-month/${30 * DAY}`]);
  });

  it('takes back a guess that was right or could not be judged, and keeps a wrong one', async () => {
    const { db, clock } = at();
    const attempts = new Attempts(db, clock);
    const limits = [{ counter: 'suite-guess', max: 2, spanMs: HOUR }];
    for (let n = 0; n < 5; n++) expect(await attempts.guess(limits, async () => true)).toBe(true);
    const broken = attempts.guess(limits, () => Promise.reject(new Error('away')));
    await expect(broken).rejects.toThrow('away');
    for (let n = 0; n < 2; n++) expect(await attempts.guess(limits, async () => false)).toBe(false);
    await expect(attempts.guess(limits, async () => true)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('of tickets: five looks, one use', async () => {
    const { db, clock } = at();
    const tickets = new SignInTickets({ db, clock, randomBytes });
    const secret = await tickets.make('second-factor', null, { method: 'mobile' });
    const looks = await Promise.all(times(AT_ONCE, () => tickets.look('second-factor', secret)));
    expect(looks.filter((ticket) => ticket !== undefined)).toHaveLength(5);
    const spent = await Promise.all(times(AT_ONCE, () => tickets.spend(secret)));
    expect(spent.filter(Boolean)).toHaveLength(1);
    const late = await tickets.make('second-factor', null, {});
    expect(await tickets.look('passkey-add', late)).toBeUndefined();
    clock.ms += 5 * 60_000;
    expect(await tickets.look('second-factor', late)).toBeUndefined();
  });
}
