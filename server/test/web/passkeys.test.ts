/**
 * Passkeys in a real browser with its virtual authenticator: made in the settings, used at the gate; a cloned authenticator, a
 * foreign site and a copied answer are refused.
 */
import { request } from 'node:http';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../people/client.ts';
import { MAY_SKIP, openStage, type Stage, signIn } from './browser.ts';

interface Answer {
  ticket: string;
  response: { response: { clientDataJSON: string } };
}

interface Credential {
  credentialId: string;
  signCount: number;
}

let stage: Stage;
let page: Page;
let cdp: CDPSession;
let authenticatorId: string;
/** A passkey belongs to a name; an address made of numbers has none. */
let home: string;

describe.skipIf(MAY_SKIP)('a passkey', { timeout: 240_000 }, () => {
  beforeAll(async () => {
    stage = await openStage();
    home = stage.gateway.origin.replace('127.0.0.1', 'localhost');
    const opened = await stage.open();
    page = opened.page;
    cdp = await opened.context.newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    ({ authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    }));
    await signIn({ ...stage, gateway: { ...stage.gateway, origin: home } }, page, '09123334455', 'مینا');
  }, 300_000);
  afterAll(() => stage?.stop());

  const credentials = async () =>
    (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials as (Credential & object)[];
  const signOut = async () => {
    await page.goto(`${home}/console`);
    await page.click('.bar .end button.icon:has(.face)');
    await page.click('[role=menuitem]:has-text("خروج")');
    await page.waitForSelector('input[name=contact]');
  };
  const enterByPasskey = () => page.click('button:has-text("ورود با کلید عبور")');

  it('is made in the settings', async () => {
    await page.goto(`${home}/console/settings/security`);
    const form = page.locator('form:has(button:has-text("افزودن کلید عبور"))');
    await form.locator('input').fill('گوشی مینا');
    await form.locator('button[type=submit]').click();
    await page.waitForSelector('td:has-text("گوشی مینا"), tr:has-text("گوشی مینا")');
    expect(await credentials()).toHaveLength(1);
  });

  it('opens the gate without a number and without a code', async () => {
    await signOut();
    await enterByPasskey();
    await page.waitForSelector('.page-head');
    const me = (await page.evaluate(`fetch('/api/console/me').then((answer) => answer.json())`)) as {
      person: { name: string };
      passkeys: number;
    };
    expect(me).toMatchObject({ person: { name: 'مینا' }, passkeys: 1 });
  });

  it('does not open it from a copy of the authenticator that counts from the beginning', async () => {
    await signOut();
    const [original] = await credentials();
    if (!original) throw new Error('no credential');
    expect(original.signCount).toBeGreaterThan(1);
    await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId: original.credentialId });
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...original, signCount: 0 } as never });
    await enterByPasskey();
    await page.waitForSelector('.toast');
    expect(await page.locator('.page-head').count()).toBe(0);
    await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId: original.credentialId });
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: original as never });
    await page.reload();
    await enterByPasskey();
    await page.waitForSelector('.page-head');
  });

  /** An answer of the authenticator to a fresh challenge, made on our page. */
  const signed = async () => {
    const text = await page.evaluate<string>(`(async () => {
      const headers = { 'content-type': 'application/json' };
      const begun = await fetch('/api/console/sign-in/passkey/options', { method: 'POST', headers, body: '{}' });
      const { ticket, options } = await begun.json();
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
      const credential = await navigator.credentials.get({ publicKey });
      return JSON.stringify({ ticket, response: credential.toJSON() });
    })()`);
    return JSON.parse(text) as Answer;
  };
  /** The same answer, as a browser at another site would have written it. */
  const signedAt = (origin: string, { ticket, response }: Answer) => {
    const told = JSON.parse(Buffer.from(response.response.clientDataJSON, 'base64url').toString()) as object;
    const clientDataJSON = Buffer.from(JSON.stringify({ ...told, origin })).toString('base64url');
    return { ticket, response: { ...response, response: { ...response.response, clientDataJSON } } };
  };
  const port = () => new URL(stage.gateway.origin).port;
  /** Straight to the server, by a caller who says that it is called `host`. */
  const give = (body: object, host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { host, 'content-type': 'application/json' };
      const asked = request(
        { host: '127.0.0.1', port: port(), path: '/api/console/sign-in/passkey', method: 'POST', headers },
        (answer) => resolve(answer.resume().statusCode),
      );
      asked.once('error', reject);
      asked.end(JSON.stringify(body));
    });

  it('is worth nothing to another site, and its answer works once', async () => {
    const ours = `localhost:${port()}`;
    const there = await signed();
    for (const origin of ['http://localhost:9', `http://evil.example:${port()}`, `https://${ours}`])
      expect(await give(signedAt(origin, await signed()), new URL(origin).host)).toBe(401);
    expect(await give(signedAt('http://localhost:9', there), ours)).toBe(401);
    // The attempt has used the ticket up.
    expect(await give(there, ours)).toBe(401);
    // What a caller says the host is neither helps nor harms: the public address alone decides.
    expect(await give(await signed(), 'evil.example')).toBe(200);
    const right = await signed();
    expect(await give(right, ours)).toBe(200);
    expect(await give(right, ours)).toBe(401);
    const fresh = await signed();
    expect(await give({ ticket: fresh.ticket, response: right.response }, ours)).toBe(401);
    const forged = { ...(await signed()), response: { ...right.response, id: 'AAAA', rawId: 'AAAA' } };
    expect(await give(forged, ours)).toBe(401);
  });

  it('is removed by its person and by nobody else', async () => {
    const [credential] = await credentials();
    const id = Buffer.from(credential?.credentialId ?? '', 'base64').toString('base64url');
    const stranger = new Browser(stage.gateway);
    await stranger.signIn('09123334456');
    const foreign = await stranger.remove(`/me/passkeys/${id}`);
    const unknown = await stranger.remove('/me/passkeys/AAAA');
    expect([foreign.status, foreign.body]).toEqual([404, unknown.body]);
    await page.goto(`${home}/console/settings/security`);
    const row = page.locator('tr:has-text("گوشی مینا")');
    await row.locator('button').click();
    await page.waitForSelector('dialog:has-text("گوشی مینا"):has-text("روش‌های دیگر ورود می‌مانند")');
    await page.click('dialog button.stop');
    await row.waitFor({ state: 'detached' });
    await signOut();
    await enterByPasskey();
    await page.waitForSelector('.toast');
    expect(await page.locator('.page-head').count()).toBe(0);
  });
});
