/** Guessing, over HTTP: every secret that a person carries has an end to how often it can be guessed, from one address and from many. */
import { randomBytes } from 'node:crypto';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MovedClock } from '../harness/moved-clock.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { Browser, codeTo } from './client.ts';

const HOUR = 3_600_000;
const FAILURES = 30;
const clock = new MovedClock();

let gateway: TestGateway;
beforeAll(async () => {
  const settings = { trusted_proxies: ['127.0.0.0/8'], auth_failures_per_minute: FAILURES };
  gateway = await startGateway({ clock, config: { settings: { max_event_loop_lag_ms: 600_000, ...settings } } });
}, 120_000);
afterAll(() => gateway?.stop());

let hosts = 0;
/** An address of a network that nobody has used. */
const newNetwork = () => `10.${Math.floor(hosts / 250)}.${hosts++ % 250}`;
let numbers = 0;
const newNumber = () => `0913${String(4_000_000 + numbers++)}`;

class Guesser extends Browser {
  address = `${newNetwork()}.1`;

  override send<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    return super.send<T>(method, path, body, { 'x-forwarded-for': this.address, ...headers });
  }
}

/** What many attempts were answered with, in their order. */
async function statuses(count: number, attempt: (index: number) => Promise<{ status: number }>): Promise<number[]> {
  const found: number[] = [];
  for (let n = 0; n < count; n++) found.push((await attempt(n)).status);
  return found;
}

const all = (count: number, status: number) => Array.from({ length: count }, () => status);
/** Limits count in whole hours: nothing of a test reaches into the next hour. */
const beginHour = () => {
  clock.moved += HOUR - (clock.now() % HOUR) + 1_000;
};
const wrongOf = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describe('codes', () => {
  it('are sent to so many numbers from one address, and from one network', async () => {
    beginHour();
    const thief = new Guesser(gateway);
    const order = () => thief.post('/sign-in/codes', { to: newNumber() });
    expect(await statuses(61, order)).toEqual([...all(60, 202), 429]);
    const network = thief.address.replace(/\.1$/, '');
    // The refused one counts on the network too.
    const rest = await statuses(140, (n) => {
      thief.address = `${network}.${2 + (n % 100)}`;
      return order();
    });
    expect(rest).toEqual([...all(139, 202), 429]);
    thief.address = `${newNetwork()}.1`;
    expect((await order()).status).toBe(202);
  });

  it('cannot be tried one at each of a thousand numbers', async () => {
    beginHour();
    const thief = new Guesser(gateway);
    const guess = () => thief.post('/sign-in/code', { to: newNumber(), code: '123456' });
    expect(await statuses(61, guess)).toEqual([...all(60, 401), 429]);
    const honest = new Guesser(gateway);
    expect((await honest.signIn(newNumber())).status).toBe(200);
  });

  it('cannot be tried on one number from a thousand addresses', async () => {
    beginHour();
    const to = newNumber();
    await new Guesser(gateway).post('/sign-in/codes', { to });
    const code = await codeTo(gateway, to);
    const guess = () => new Guesser(gateway).post('/sign-in/code', { to, code: wrongOf(code) });
    expect(await statuses(11, guess)).toEqual([...all(10, 401), 429]);
    expect((await new Guesser(gateway).post('/sign-in/code', { to, code })).status).toBe(429);
  });
});

describe('passwords', () => {
  it('cannot be tried on one person from a thousand addresses, all at once', async () => {
    beginHour();
    const person = new Guesser(gateway);
    const to = newNumber();
    await person.signIn(to);
    await person.send('PUT', '/api/console/me/password', { password: 'correct horse battery' });
    const guesses = Array.from({ length: 30 }, (_, n) =>
      new Guesser(gateway).post('/sign-in/password', { to, password: `guess ${n} guess` }),
    );
    const found = (await Promise.all(guesses)).map(({ status }) => status);
    expect(found.filter((status) => status === 401)).toHaveLength(10);
    expect(found.filter((status) => status === 429)).toHaveLength(20);
    const right = () => new Guesser(gateway).post('/sign-in/password', { to, password: 'correct horse battery' });
    expect((await right()).status).toBe(429);
    clock.moved += HOUR;
    expect((await right()).status).toBe(200);
  });

  it('of the operator are limited the same way', async () => {
    beginHour();
    const guess = () => new Guesser(gateway).send('POST', '/api/admin/sign-in', { password: 'not the operator' });
    expect(await statuses(11, guess)).toEqual([...all(10, 401), 429]);
    clock.moved += HOUR;
    const operator = new Guesser(gateway);
    expect((await operator.send('POST', '/api/admin/sign-in', { password: gateway.firstPassword })).status).toBe(200);
  });
});

describe('strangers who guess', () => {
  const PASSWORD = 'correct horse battery';
  const signIn = (browser: Guesser, to: string, password: string) =>
    browser.post('/sign-in/password', { to, password });
  const lockOut = (to: string) => statuses(11, (n) => signIn(new Guesser(gateway), to, `guess ${n} guess`));

  async function personAtHome() {
    const home = new Guesser(gateway);
    const to = newNumber();
    await home.signIn(to);
    await home.send('PUT', '/api/console/me/password', { password: PASSWORD });
    return { to, home };
  }

  it('do not keep a person out where they have signed in before, and keep out everybody else', async () => {
    beginHour();
    const { to, home } = await personAtHome();
    expect(await lockOut(to)).toEqual([...all(10, 401), 429]);
    // Another address of the same network, and no cookie.
    const again = new Guesser(gateway);
    again.address = home.address.replace(/\.1$/, '.77');
    expect((await signIn(again, to, PASSWORD)).status).toBe(200);
    expect((await signIn(new Guesser(gateway), to, PASSWORD)).status).toBe(429);
  });

  it('do not keep the operator out either, who has nothing but a password', async () => {
    beginHour();
    const enter = (browser: Guesser, password: string) => browser.send('POST', '/api/admin/sign-in', { password });
    const operator = new Guesser(gateway);
    const strangers = () => statuses(11, () => enter(new Guesser(gateway), 'not the operator'));
    expect(await strangers()).toEqual([...all(10, 401), 429]);
    // The password that the first start made cannot be guessed: its owner comes from anywhere, also for the first time.
    expect((await enter(operator, gateway.firstPassword)).status).toBe(200);
    // One that a person has chosen can be: it is closed to strangers, and open where its owner has signed in.
    const change = { current: gateway.firstPassword, password: PASSWORD };
    expect((await operator.send('PUT', '/api/console/me/password', change)).status).toBe(200);
    clock.moved += HOUR;
    expect(await strangers()).toEqual([...all(10, 401), 429]);
    expect((await enter(operator, PASSWORD)).status).toBe(200);
    expect((await enter(new Guesser(gateway), PASSWORD)).status).toBe(429);
    // The first one ends with that, and opens no second window.
    const former = () => enter(new Guesser(gateway), gateway.firstPassword);
    expect((await former()).status).toBe(429);
    clock.moved += HOUR;
    expect((await former()).status).toBe(401);
  });

  it('have as many guesses in a known network as anywhere, and no more for having both', async () => {
    beginHour();
    const { to, home } = await personAtHome();
    const neighbour = new Guesser(gateway);
    const guess = (n: number) => {
      neighbour.address = home.address.replace(/\.1$/, `.${2 + n}`);
      return signIn(neighbour, to, `guess ${n} guess`);
    };
    expect(await statuses(11, guess)).toEqual([...all(10, 401), 429]);
    expect(await lockOut(to)).toEqual([...all(10, 401), 429]);
    expect((await signIn(neighbour, to, PASSWORD)).status).toBe(429);
  });

  it('make no network known by guessing, by a code for somebody else, or by a password without its second factor', async () => {
    beginHour();
    const { to, home } = await personAtHome();
    const { secret } = (await home.post<{ secret: string }>('/me/second-factor')).body;
    await home.post('/me/second-factor/confirm', {
      code: generateSync({ secret, epoch: Math.floor(clock.now() / 1000) }),
    });
    const thief = new Guesser(gateway);
    await thief.signIn(newNumber());
    // The password is right, and the second step is never taken.
    expect((await signIn(thief, to, PASSWORD)).body).toMatchObject({ second_factor: { ticket: expect.any(String) } });
    expect(await lockOut(to)).toEqual([...all(10, 401), 429]);
    expect((await signIn(thief, to, PASSWORD)).status).toBe(429);
    expect((await signIn(home, to, PASSWORD)).status).toBe(200);
  });

  it('lose what they knew with the old password, and a person has no more than five such networks', async () => {
    beginHour();
    const { to, home } = await personAtHome();
    const others = Array.from({ length: 6 }, () => new Guesser(gateway));
    for (const browser of others) {
      clock.moved += 1_000;
      expect((await signIn(browser, to, PASSWORD)).status).toBe(200);
    }
    expect(await lockOut(to)).toEqual([...all(10, 401), 429]);
    const answers = [];
    for (const browser of [home, ...others]) answers.push((await signIn(browser, to, PASSWORD)).status);
    expect(answers).toEqual([429, 429, ...all(5, 200)]);
    const last = others[5] as Guesser;
    await last.send('PUT', '/api/console/me/password', { current: PASSWORD, password: 'another horse battery' });
    expect((await signIn(others[4] as Guesser, to, 'another horse battery')).status).toBe(429);
    expect((await signIn(last, to, 'another horse battery')).status).toBe(200);
  });
});

describe('a second factor', () => {
  it('cannot be guessed by whoever has the password, however many sign-ins are begun', async () => {
    beginHour();
    const person = new Guesser(gateway);
    const to = newNumber();
    const password = 'correct horse battery';
    await person.signIn(to);
    await person.send('PUT', '/api/console/me/password', { password });
    const { secret } = (await person.post<{ secret: string }>('/me/second-factor')).body;
    const codeNow = () => generateSync({ secret, epoch: Math.floor(clock.now() / 1000) });
    await person.post('/me/second-factor/confirm', { code: codeNow() });
    clock.moved += 61_000;
    const begin = async () =>
      (await new Guesser(gateway).post<{ second_factor: { ticket: string } }>('/sign-in/password', { to, password }))
        .body.second_factor.ticket;
    const tickets = [await begin(), await begin(), await begin(), await begin()];
    const guess = (ticket: string, code: string) =>
      new Guesser(gateway).post('/sign-in/second-factor', { ticket, code });
    const first = await statuses(6, () => guess(tickets[0] ?? '', wrongOf(codeNow())));
    expect(first).toEqual(all(6, 401));
    // Five tries of the first ticket counted, its sixth did not: it was over.
    const rest = await Promise.all(
      tickets.slice(1).flatMap((ticket) => Array.from({ length: 5 }, () => guess(ticket, wrongOf(codeNow())))),
    );
    expect(rest.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(rest.filter(({ status }) => status === 429)).toHaveLength(10);
    expect((await guess(await begin(), codeNow())).status).toBe(429);
    clock.moved += HOUR;
    expect((await guess(await begin(), codeNow())).status).toBe(200);
  });
});

describe('secrets of 256 bits', () => {
  const random = () => randomBytes(64).toString('hex').slice(0, 43);

  it('are guessed in one window per address: sessions, management keys and API keys together', async () => {
    const owner = new Guesser(gateway);
    await owner.signIn(newNumber());
    const thief = new Guesser(gateway);
    const bySession = () => thief.send('GET', '/api/console/me', undefined, { cookie: `dargah=${random()}` });
    const byKey = () => thief.send('GET', '/api/console/keys', undefined, { authorization: `Bearer dgm-${random()}` });
    const byApiKey = () => thief.send('GET', '/api/v1/key', undefined, { authorization: `Bearer dg-${random()}` });
    const byToken = () => thief.send('GET', '/api/admin/accounts', undefined, { authorization: `Bearer ${random()}` });
    const kinds = [bySession, byKey, byApiKey, byToken];
    const found = await statuses(FAILURES, (n) => (kinds[n % kinds.length] ?? bySession)());
    expect(found).toEqual(all(FAILURES, 401));
    for (const kind of kinds) expect((await kind()).status).toBe(429);
    // Whoever has a real session is not locked out by a neighbour at the same address.
    owner.address = thief.address;
    expect((await owner.get('/me')).status).toBe(200);
    thief.address = `${newNetwork()}.1`;
    expect((await bySession()).status).toBe(401);
  });

  it('are not looked up at all where they cannot be one', async () => {
    const thief = new Guesser(gateway);
    for (const cookie of ['dargah=', 'dargah=short', `dargah=${'A'.repeat(5_000)}`, `dargah=' or 1=1 --${random()}`])
      expect((await thief.send('GET', '/api/console/me', undefined, { cookie })).status).toBe(401);
  });

  it('of invitations are shown a hundred times an hour from an address, signed in or not', async () => {
    beginHour();
    const thief = new Guesser(gateway);
    await thief.signIn(newNumber());
    const read = () => thief.post('/sign-in/invitation', { invitation: random() });
    const accept = () => thief.post('/me/invitations/accept', { invitation: random() });
    const found = await statuses(101, (n) => (n % 2 === 0 ? read() : accept()));
    expect(found).toEqual([...all(100, 404), 429]);
    expect((await accept()).status).toBe(429);
  });
});
