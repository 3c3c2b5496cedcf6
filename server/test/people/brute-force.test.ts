/** Guessing, over HTTP: every secret that a person carries has an end to how often it can be guessed, from one address and from many. */
import { randomBytes } from 'node:crypto';
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
    expect(await statuses(21, order)).toEqual([...all(20, 202), 429]);
    const network = thief.address.replace(/\.1$/, '');
    // The refused one cost the network nothing.
    const rest = await statuses(41, (n) => {
      thief.address = `${network}.${2 + (n % 100)}`;
      return order();
    });
    expect(rest).toEqual([...all(40, 202), 429]);
    thief.address = `${newNetwork()}.1`;
    expect((await order()).status).toBe(202);
  });

  it('are counted per /64 and per /48 of IPv6', async () => {
    beginHour();
    const thief = new Guesser(gateway);
    const order = () => thief.post('/sign-in/codes', { to: newNumber() });
    const from = (count: number, address: (n: number) => string) =>
      statuses(count, (n) => {
        thief.address = address(n);
        return order();
      });
    // Every address of one /64 is one caller, and every /64 of one /48 is one network.
    expect(await from(21, (n) => `2001:db8:7:1::${(n + 1).toString(16)}`)).toEqual([...all(20, 202), 429]);
    expect(await from(41, (n) => `2001:db8:7:${(n + 16).toString(16)}::1`)).toEqual([...all(40, 202), 429]);
    expect(await from(1, () => '2001:db8:8:1::1')).toEqual([202]);
  });

  it('cannot be tried one at each of a thousand numbers', async () => {
    beginHour();
    const thief = new Guesser(gateway);
    const guess = () => thief.post('/sign-in/code', { to: newNumber(), code: '123456' });
    expect(await statuses(21, guess)).toEqual([...all(20, 401), 429]);
    const honest = new Guesser(gateway);
    expect((await honest.signIn(newNumber())).status).toBe(200);
  });

  it('cannot be tried on one number from a thousand addresses, and their owner comes in all the same', async () => {
    beginHour();
    const to = newNumber();
    const home = new Guesser(gateway);
    await home.signIn(to);
    clock.moved += 600_000;
    await new Guesser(gateway).post('/sign-in/codes', { to });
    const code = await codeTo(gateway, to);
    const guess = () => new Guesser(gateway).post('/sign-in/code', { to, code: wrongOf(code) });
    expect(await statuses(30, guess)).toEqual(all(30, 401));
    // Strangers have spent this code: it is void for all of them, and good where its owner is known.
    expect((await new Guesser(gateway).post('/sign-in/code', { to, code })).status).toBe(401);
    const abroad = new Guesser(gateway);
    expect((await abroad.post('/sign-in/codes', { to })).status).toBe(429);
    expect((await home.post('/sign-in/code', { to, code })).status).toBe(200);
    clock.moved += 600_000;
    expect((await abroad.signIn(to)).status).toBe(200);
  });
});

describe('passwords', () => {
  it('are tried ten times an hour from one network, whatever its addresses', async () => {
    beginHour();
    const to = newNumber();
    const thief = new Guesser(gateway);
    const network = thief.address.replace(/\.1$/, '');
    const guess = (n: number) => {
      thief.address = `${network}.${1 + n}`;
      return thief.post('/sign-in/password', { to, password: `guess ${n} guess` });
    };
    expect(await statuses(11, guess)).toEqual([...all(10, 401), 429]);
    expect((await new Guesser(gateway).post('/sign-in/password', { to, password: 'another' })).status).toBe(401);
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
