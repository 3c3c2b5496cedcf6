/** What a thief can do with somebody's cookie: see what its owner sees, and never become the owner. */
import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MovedClock } from '../harness/moved-clock.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { Browser, codeTo, outbox } from './client.ts';
import { addressOf, describedRoutes, labelOf } from './console-routes.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SEVEN_DAYS = 7 * 24 * HOUR;

interface Refusal {
  error: { code: string };
}

let gateway: TestGateway;
const clock = new MovedClock();
beforeAll(async () => {
  gateway = await startGateway({ clock });
}, 120_000);
afterAll(() => gateway?.stop());

let numbers = 0;
const number = () => `0912180${String(1000 + numbers++)}`;

async function owner(): Promise<{ browser: Browser; to: string }> {
  const to = number();
  const browser = new Browser(gateway);
  await browser.signIn(to);
  return { browser, to };
}

/** The cookie in somebody else's hands, after the proof of the sign-in has grown old. */
function stolen(from: Browser): Browser {
  const thief = new Browser(gateway);
  thief.cookie = from.cookie;
  thief.provesAgain = false;
  return thief;
}

const codeOf = (reply: { status: number; body: unknown }) => [reply.status, (reply.body as Refusal).error?.code];
const messagesTo = async (to: string) =>
  (await outbox(gateway)).filter((one) => one.to === to && one.kind === 'security');
const secretOf = (text: string) => /end-sessions#(\w+)/.exec(text)?.[1] ?? '';
const REFUSED = [403, 'proof_required'];

describe('a stolen cookie', () => {
  it('opens nothing that changes how its owner signs in', async () => {
    const { browser } = await owner();
    await gateway.admin('POST', '/api/admin/staff', { to: number(), role: 'owner' });
    const routes = [...(await describedRoutes('console')), ...(await describedRoutes('admin'))];
    const guarded = routes.filter(({ access }) => 'freshProof' in access);
    expect(guarded.map(({ operationId }) => operationId).sort()).toEqual([
      'addPasskey',
      'addProviderKey',
      'addSignInMethod',
      'addStaff',
      'askClosing',
      'beginPasskey',
      'beginTotp',
      'changeMessenger',
      'changePaymentGateway',
      'changeProviderKey',
      'changeSettings',
      'changeStaff',
      'closeAccountFor',
      'confirmTotp',
      'createManagementKey',
      'createOperatorToken',
      'decideApproval',
      'decideClosing',
      'payBill',
      'removePasskey',
      'removeSignInMethod',
      'removeTotp',
      'sendMethodCode',
      'setCreditLimits',
      'setPassword',
      'setTokenCreditLimits',
    ]);
    clock.moved += 6 * MINUTE;
    const thief = stolen(browser);
    for (const route of guarded.filter(({ access }) => access.guard !== 'operator')) {
      const reply = await thief.send(
        route.method,
        addressOf(route, 'nothing'),
        route.method === 'DELETE' ? undefined : {},
      );
      expect([labelOf(route), ...codeOf(reply)]).toEqual([labelOf(route), ...REFUSED]);
    }
  });

  it('does not let a thief add a number, nor set a password with a made-up old one', async () => {
    const { browser } = await owner();
    const thiefsNumber = number();
    const begun = stolen(browser);
    expect((await begun.post('/me/methods/codes', { to: thiefsNumber })).status).toBe(202);
    const code = await codeTo(gateway, thiefsNumber);
    clock.moved += 5 * MINUTE + 1;
    const thief = stolen(browser);
    expect(codeOf(await thief.post('/me/methods', { to: thiefsNumber, code }))).toEqual(REFUSED);
    const password = { current: 'whatever it was', password: 'a long new password' };
    expect(codeOf(await thief.send('PUT', '/api/console/me/password', password))).toEqual(REFUSED);
    expect((await browser.get<{ data: object[] }>('/me/methods')).body.data).toHaveLength(1);
    expect((await browser.get<{ has_password: boolean }>('/me')).body.has_password).toBe(false);
  });

  it('is of use again for five minutes after its owner proved who they are, by a code', async () => {
    const { browser, to } = await owner();
    clock.moved += 6 * MINUTE;
    browser.provesAgain = false;
    expect(codeOf(await browser.post('/management-keys', { name: 'k', resources: { keys: 'read' } }))).toEqual(REFUSED);
    const proved = await browser.prove(to);
    expect(proved.status).toBe(200);
    const make = () => browser.post('/management-keys', { name: 'k', resources: { keys: 'read' } });
    expect((await make()).status).toBe(201);
    clock.moved += 5 * MINUTE + 1;
    expect(codeOf(await make())).toEqual(REFUSED);
  });

  it('cannot guess the password, nor use a way that the person does not have', async () => {
    const { browser } = await owner();
    await browser.send('PUT', '/api/console/me/password', { password: 'the blue bicycle' });
    clock.moved += 6 * MINUTE;
    const thief = stolen(browser);
    const guess = (password: string) => thief.post('/me/proof', { way: 'password', password });
    for (let wrong = 0; wrong < 10; wrong++) expect((await guess(`wrong guess ${wrong}`)).status).toBe(401);
    expect((await guess('the blue bicycle')).status).toBe(429);
    clock.moved += HOUR;
    expect((await guess('the blue bicycle')).status).toBe(200);
    expect((await thief.post('/me/proof', { way: 'second-factor', code: '123456' })).status).toBe(401);
    expect((await thief.post('/me/proof', { way: 'passkey', ticket: 'none', response: {} })).status).toBe(401);
  });

  it('sends no code to a number that is not its owner’s', async () => {
    const [one, other] = [await owner(), await owner()];
    const { body } = await other.browser.get<{ contacts: { id: string }[] }>('/me/proof');
    const contact_id = body.contacts[0]?.id;
    expect((await one.browser.post('/me/proof/codes', { contact_id })).status).toBe(404);
    expect((await one.browser.post('/me/proof', { way: 'code', contact_id, code: '000000' })).status).toBe(404);
  });

  it('needs the second factor where its owner has one: neither password nor SMS will do', async () => {
    const { browser } = await owner();
    await browser.send('PUT', '/api/console/me/password', { password: 'the blue bicycle' });
    const { body: setup } = await browser.post<{ secret: string }>('/me/second-factor');
    const codeNow = () => generateSync({ secret: setup.secret, epoch: Math.floor(clock.now() / 1000) });
    expect((await browser.post('/me/second-factor/confirm', { code: codeNow() })).status).toBe(200);
    clock.moved += 6 * MINUTE;
    const thief = stolen(browser);
    const { body } = await thief.get<{ ways: string[]; contacts: object[]; proved_until: string | null }>('/me/proof');
    expect([body.ways, body.contacts, body.proved_until]).toEqual([['second-factor'], [], null]);
    expect((await thief.post('/me/proof', { way: 'password', password: 'the blue bicycle' })).status).toBe(401);
    expect((await thief.post('/me/proof', { way: 'second-factor', code: '000000' })).status).toBe(401);
    expect((await browser.post('/me/proof', { way: 'second-factor', code: codeNow() })).status).toBe(200);
    expect((await browser.post('/me/passkeys/options')).status).toBe(200);
  });
});

describe('whoever’s way in was changed', () => {
  it('is told at every old number and address, never at the new one', async () => {
    const { browser, to } = await owner();
    const added = number();
    await browser.post('/me/methods/codes', { to: added });
    const { body: method } = await browser.post<{ id: string }>('/me/methods', {
      to: added,
      code: await codeTo(gateway, added),
    });
    await eventually(async () => expect(await messagesTo(to)).toHaveLength(1));
    expect(await messagesTo(added)).toEqual([]);
    await browser.remove(`/me/methods/${method.id}`);
    await eventually(async () => {
      expect(await messagesTo(to)).toHaveLength(2);
      expect(await messagesTo(added)).toHaveLength(1);
    });
    await browser.send('PUT', '/api/console/me/password', { password: 'the blue bicycle' });
    await browser.post('/management-keys', { name: 'k', resources: { keys: 'read' } });
    await eventually(async () => expect(await messagesTo(to)).toHaveLength(4));
    const secrets = (await messagesTo(to)).map(({ text }) => secretOf(text));
    expect(new Set(secrets).size).toBe(4);
    expect(secrets.every((secret) => secret.length === 43)).toBe(true);
  });

  it('is told of nothing that was refused', async () => {
    const { browser, to } = await owner();
    expect((await browser.post('/me/second-factor/confirm', { code: '000000' })).status).toBe(409);
    expect((await browser.send('PUT', '/api/console/me/password', { password: to })).status).toBe(400);
    expect(await messagesTo(to)).toEqual([]);
  });

  it('ends all sessions by the link: without a session, once, and nothing else', async () => {
    const { browser, to } = await owner();
    const thief = new Browser(gateway);
    clock.moved += 61_000;
    await thief.signIn(to);
    await browser.send('PUT', '/api/console/me/password', { password: 'the blue bicycle' });
    await browser.post('/management-keys', { name: 'k', resources: { keys: 'read' } });
    const secret = secretOf(
      (
        await eventually(async () => {
          const [last, first] = await messagesTo(to);
          if (!last || !first) throw new Error('not told yet');
          return last;
        })
      ).text,
    );
    const nobody = new Browser(gateway);
    for (const path of ['/sign-in/second-factor', '/sign-in/passkey'])
      expect((await nobody.post(path, { ticket: secret, code: '000000', response: {} })).status).toBeGreaterThanOrEqual(
        400,
      );
    const ended = await nobody.post<{ ended: number }>('/end-sessions', { secret });
    expect([ended.status, ended.body.ended]).toEqual([200, 1]);
    expect((await browser.get('/me')).status).toBe(401);
    expect((await thief.get('/me')).status).toBe(401);
    expect((await nobody.post('/end-sessions', { secret })).status).toBe(404);
    expect(nobody.cookie).toBeUndefined();
  });

  it('has a week for it', async () => {
    const { browser, to } = await owner();
    await browser.send('PUT', '/api/console/me/password', { password: 'the blue bicycle' });
    const [message] = await eventually(async () => {
      const found = await messagesTo(to);
      if (found.length === 0) throw new Error('not told yet');
      return found;
    });
    clock.moved += SEVEN_DAYS + 1;
    expect((await new Browser(gateway).post('/end-sessions', { secret: secretOf(message?.text ?? '') })).status).toBe(
      404,
    );
    expect((await browser.get('/me')).status).toBe(200);
  });
});

describe('a session of staff', () => {
  const staffed = async () => {
    const to = number();
    await gateway.admin('POST', '/api/admin/staff', { to, role: 'owner' });
    const browser = new Browser(gateway);
    await browser.signIn(to);
    return browser;
  };
  const look = async (browser: Browser, headers: Record<string, string> = {}) =>
    (await browser.send('GET', '/api/admin/accounts', undefined, headers)).status;

  it('ends twelve hours after it began, however much it is used', async () => {
    const browser = await staffed();
    for (let half = 0; half < 23; half++) {
      clock.moved += HOUR / 2;
      expect([half, await look(browser)]).toEqual([half, 200]);
    }
    clock.moved += HOUR / 2 + 1;
    expect(await look(browser)).toBe(401);
    expect((await browser.get('/me')).status).toBe(401);
  });

  it('ends after an hour in which nobody did anything, though an open page went on asking', async () => {
    const browser = await staffed();
    for (let asked = 0; asked < 5; asked++) {
      clock.moved += 10 * MINUTE;
      expect(await look(browser, { 'x-svc-unattended': '1' })).toBe(200);
    }
    clock.moved += 10 * MINUTE + 1;
    expect(await look(browser, { 'x-svc-unattended': '1' })).toBe(401);
  });

  it('makes nobody staff with an old proof', async () => {
    const browser = await staffed();
    clock.moved += 6 * MINUTE;
    browser.provesAgain = false;
    const add = await browser.send('POST', '/api/admin/staff', { to: number(), role: 'owner' });
    expect(codeOf(add)).toEqual(REFUSED);
  });

  it('is not what customers have', async () => {
    const { browser } = await owner();
    clock.moved += 29 * 24 * HOUR;
    expect((await browser.get('/me')).status).toBe(200);
  });
});
