/** Changes that another site makes a signed-in browser send: refused at every address, before anything is looked at. @tier services */

import type { RouteDescription } from '@dargah/api/describe-route.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LONG } from '../harness/long.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { Browser } from './client.ts';
import { addressOf, describedRoutes, labelOf } from './console-routes.ts';
import { takenBody } from './wrong-bodies.ts';

interface Refusal {
  error: { code: string; param: string | null };
}

const all = [...(await describedRoutes('console')), ...(await describedRoutes('admin'))];
const changes = all.filter(({ method }) => method !== 'GET');
const byCookie = changes.filter(({ access }) => access.guard !== 'open');
/** What takes a file takes a form; its origin is checked like everybody's. */
const TAKE_FILES = /^(POST|PUT) \/api\/(console|admin)\/knowledge[-_]bases\/:id\/documents/;

let gateway: TestGateway;
let browser: Browser;
beforeAll(async () => {
  gateway = await startGateway();
  browser = new Browser(gateway);
  // Owner of an account and of the whole service: every door would open.
  const entered = await browser.send('POST', '/api/admin/sign-in', { password: await gateway.ownPassword() });
  expect(entered.status).toBe(200);
  await browser.post('/accounts', { name: 'Target' });
}, 120_000);
afterAll(() => gateway?.stop());

async function forged(
  route: RouteDescription,
  headers: Record<string, string | undefined>,
): Promise<[string, number, string, string | null]> {
  const { method, body } = route;
  const sent = { origin: gateway.origin, 'content-type': 'application/json', cookie: browser.cookie, ...headers };
  const given = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const response = await fetch(gateway.origin + addressOf(route, 'nothing'), {
    method,
    headers: given,
    body: JSON.stringify(body === undefined ? {} : takenBody(body)),
  });
  const { error } = (await response.json()) as Partial<Refusal>;
  return [labelOf(route), response.status, error?.code ?? '', error?.param ?? null];
}

const refusedAs = (routes: readonly RouteDescription[], ...rest: [number, string, string | null]) =>
  routes.map((route) => [labelOf(route), ...rest]);
const walk = async (routes: readonly RouteDescription[], headers: Record<string, string | undefined>) => {
  const answers: unknown[] = [];
  for (const route of routes) answers.push(await forged(route, headers));
  return answers;
};
/** Each way of forging is tried at every third address by turns; with `npm run test:long` each at all of them. */
const sample = (turn: number) => changes.filter((_, index) => LONG || index % 3 === turn % 3);
const auditLog = async () => (await (await gateway.admin('GET', '/api/admin/events?limit=200')).json()) as object;

describe('a change that another site sends', () => {
  it('is refused at every address', async () => {
    const before = await auditLog();
    expect(changes.length).toBeGreaterThan(100);
    expect(await walk(changes, { origin: 'https://evil.example' })).toEqual(
      refusedAs(changes, 403, 'foreign_origin', null),
    );
    expect(await auditLog()).toEqual(before);
  });

  it('is refused where the browser hides from where it comes, or tells by another header', async () => {
    const before = await auditLog();
    const [hidden, across] = [sample(0), sample(1)];
    const silent = sample(2).filter((route) => byCookie.includes(route));
    expect(await walk(hidden, { origin: 'null' })).toEqual(refusedAs(hidden, 403, 'foreign_origin', null));
    expect(await walk(across, { 'sec-fetch-site': 'cross-site' })).toEqual(
      refusedAs(across, 403, 'foreign_origin', null),
    );
    expect(await walk(silent, { origin: undefined })).toEqual(refusedAs(silent, 403, 'foreign_origin', null));
    expect(await auditLog()).toEqual(before);
  });

  it.each([
    ['text/plain', 0],
    ['application/x-www-form-urlencoded', 1],
    ['multipart/form-data; boundary=x', 2],
    ['text/json', 0],
  ])('is refused as %s, which forms can send', async (type, turn) => {
    const before = await auditLog();
    const refused = sample(turn).filter((route) => !(type.startsWith('multipart') && TAKE_FILES.test(labelOf(route))));
    expect(await walk(refused, { 'content-type': type })).toEqual(
      refusedAs(refused, 400, 'invalid_request', 'Content-Type'),
    );
    expect(await auditLog()).toEqual(before);
  });

  it('would have been let in from our own page', async () => {
    const made = await browser.post<{ id: string }>('/keys', { name: 'own page' });
    expect(made.status).toBe(201);
  });
});
