/**
 * The table of who may call what: every route of staff and of the console, as nobody, on a foreign account, as a role that may and as
 * one that may not, by turns; with `npm run test:long` as every role. A route that is added is in the walk without a line here.
 * @tier services
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LONG } from '../harness/long.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { Browser } from './client.ts';
import { STAFF_TABLE } from './staff-table.ts';

const MEMBER_ROLES = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const;
const STAFF_ROLES = ['owner', 'finance', 'support', 'viewer'] as const;

interface Operation {
  method: string;
  path: string;
  operationId: string;
  access: { door: string; roles?: string[]; ofOneAccount?: string[]; act?: string; personOnly?: boolean };
}

let gateway: TestGateway;
let operations: Operation[];
const members = new Map<string, Browser>();
const staff = new Map<string, Browser>();
let account: string;

beforeAll(async () => {
  gateway = await startGateway();
  const document = (await (await gateway.admin('GET', '/api/admin/openapi.json')).json()) as {
    paths: Record<string, Record<string, { operationId: string; 'x-access': Operation['access'] }>>;
  };
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, 'x-access': access }]) => ({
      operationId,
      method: method.toUpperCase(),
      path: path.replace(/\{\w+\}/g, 'nothing'),
      access,
    })),
  );
  const owner = new Browser(gateway);
  const { body } = await owner.signIn('09121200000', { account_name: 'Walked' });
  account = body.accounts[0]?.id ?? '';
  owner.account = account;
  members.set('owner', owner);
  for (const [index, role] of MEMBER_ROLES.slice(1).entries()) {
    const to = `0912120000${index + 1}`;
    const { body: made } = await owner.post<{ invitation: string }>('/invitations', { to, role });
    const browser = new Browser(gateway);
    await browser.signIn(to, { invitation: made.invitation });
    browser.account = account;
    members.set(role, browser);
  }
  for (const [index, role] of STAFF_ROLES.entries()) {
    const to = `0912130000${index}`;
    await gateway.admin('POST', '/api/admin/staff', { to, role });
    const browser = new Browser(gateway);
    await browser.signIn(to);
    staff.set(role, browser);
  }
}, 120_000);
afterAll(() => gateway.stop());

/** Nothing here may change what the walk stands on. */
const HARMLESS = (operation: Operation) =>
  !/sign-out|sessions\/end-others|\/account\/(leave|close|transfer)|view-as|reset-password|\/live/.test(operation.path);
const at = (door: string) => operations.filter(({ access }) => access.door === door);
/** Of those who may and of those who may not, one each, and whoever is shown a part. */
const isTried = (role: string, roles: readonly string[], { access }: Operation, turn: number): boolean => {
  const may = access.roles?.includes(role) === true;
  const alike = roles.filter((other) => access.roles?.includes(other) === may);
  return LONG || access.ofOneAccount?.includes(role) === true || alike[turn % alike.length] === role;
};
const label = ({ method, path }: Operation) => `${method} ${path}`;
const attempt = async (browser: Browser, { method, path }: Operation, headers: Record<string, string> = {}) =>
  (await browser.send(method, path, method === 'GET' || method === 'DELETE' ? undefined : {}, headers)).status;

describe('who may call what', () => {
  it('is declared for every route', () => {
    expect(operations.length).toBeGreaterThan(120);
    expect(operations.filter(({ access }) => access === undefined).map(label)).toEqual([]);
    for (const door of ['person', 'console', 'operator', 'open', 'key']) expect(at(door).length).toBeGreaterThan(0);
  });

  it('lets nobody in who is nobody', async () => {
    const nobody = new Browser(gateway);
    const walked = [...at('person'), ...at('console'), ...at('operator')];
    const answers = await Promise.all(
      walked.map(async (operation) => [label(operation), await attempt(nobody, operation)]),
    );
    expect(answers.filter(([, status]) => status !== 401)).toEqual([]);
  });

  it.each(MEMBER_ROLES)('holds for members in the role %s', async (role) => {
    const browser = members.get(role) as Browser;
    for (const [turn, operation] of at('console').filter(HARMLESS).entries()) {
      if (!isTried(role, MEMBER_ROLES, operation, turn)) continue;
      const may = operation.access.roles?.includes(role) === true;
      const status = await attempt(browser, operation);
      expect([label(operation), status === 403]).toEqual([label(operation), !may]);
      expect([label(operation), status !== 401 && status < 500]).toEqual([label(operation), true]);
    }
  });

  it('answers on a foreign account as on one that is not there, to every route and role', async () => {
    const stranger = new Browser(gateway);
    await stranger.signIn('09121400000');
    for (const operation of at('console')) {
      const foreign = await stranger.send(
        operation.method,
        operation.path,
        operation.method === 'GET' || operation.method === 'DELETE' ? undefined : {},
        { 'x-svc-account': account },
      );
      const unknown = await stranger.send(
        operation.method,
        operation.path,
        operation.method === 'GET' || operation.method === 'DELETE' ? undefined : {},
        { 'x-svc-account': 'acc_nothing' },
      );
      expect([label(operation), foreign.status, foreign.body]).toEqual([label(operation), 404, unknown.body]);
    }
  });

  it.each(STAFF_ROLES)('holds for staff in the role %s', async (role) => {
    const browser = staff.get(role) as Browser;
    for (const [turn, operation] of at('operator').filter(HARMLESS).entries()) {
      if (/sandbox|refresh|master/.test(operation.path) || !isTried(role, STAFF_ROLES, operation, turn)) continue;
      const may = operation.access.roles?.includes(role) === true;
      const status = await attempt(browser, operation);
      expect([label(operation), status === 403]).toEqual([label(operation), !may]);
      // What is shown of one account is not shown of all.
      const ofOne = { ...operation, path: `${operation.path}?account_id=${account}` };
      if (operation.access.ofOneAccount?.includes(role))
        expect([label(operation), await attempt(browser, ofOne)]).toEqual([label(operation), 200]);
    }
  });

  it('is for staff what the table of roles says, row by row', () => {
    const operator = at('operator');
    const told = new Map(operator.map(({ operationId, access }) => [operationId, access]));
    for (const { row, roles, ofOneAccount, acts } of STAFF_TABLE)
      for (const act of acts) {
        const { roles: real = [], ofOneAccount: narrow } = told.get(act) ?? {};
        expect([row, act, [...real].sort(), narrow]).toEqual([row, act, [...roles].sort(), ofOneAccount]);
      }
    const listed = STAFF_TABLE.flatMap(({ acts }) => acts);
    expect(new Set(listed).size).toBe(listed.length);
    // What is in no row is read by all who work here, and changes nothing.
    const others = operator.filter(({ operationId }) => !listed.includes(operationId));
    for (const { operationId, method, access } of others)
      expect([operationId, method, access.roles?.length]).toEqual([operationId, 'GET', STAFF_ROLES.length]);
  });

  it('keeps customers out of what is staff’s, in every role', async () => {
    for (const [turn, browser] of [...members.values()].entries()) {
      const own = new Browser(gateway);
      own.cookie = browser.cookie;
      // Every address is tried in one of the roles; with `npm run test:long` in each of them.
      for (const operation of at('operator').filter((_, index) => LONG || index % members.size === turn))
        expect([label(operation), await attempt(own, operation)]).toEqual([label(operation), 401]);
    }
  });

  it('answers for foreign things as for none: keys, documents, requests, members', async () => {
    const stranger = new Browser(gateway);
    const { body } = await stranger.signIn('09121400001');
    const key = await stranger.post<{ id: string }>('/keys', { name: 'theirs' });
    const owner = members.get('owner') as Browser;
    const same = async (path: (id: string) => string, id: string, method = 'GET', sent?: object) => {
      const foreign = await owner.send<{ error: { message: string } }>(method, `/api/console${path(id)}`, sent);
      const unknown = await owner.send<{ error: { message: string } }>(method, `/api/console${path('zzz')}`, sent);
      expect([foreign.status, foreign.body.error.message.replace(id, 'zzz')]).toEqual([
        404,
        unknown.body.error.message,
      ]);
    };
    for (const verb of ['pause', 'resume', 'revoke', 'rotate', 'end-overlap'])
      await same((id) => `/keys/${id}/${verb}`, key.body.id, 'POST', {});
    await same((id) => `/keys/${id}/test`, key.body.id, 'POST', { request: {} });
    await same((id) => `/keys/${id}`, key.body.id);
    await same((id) => `/keys/${id}`, key.body.id, 'PATCH', { name: 'mine now' });
    await same((id) => `/keys/${id}/spend`, key.body.id);
    await same((id) => `/members/${id}`, body.person.id, 'PATCH', { role: 'viewer' });
    await same((id) => `/members/${id}`, body.person.id, 'DELETE');
    expect((await stranger.get<{ name: string }>(`/keys/${key.body.id}`)).body.name).toBe('theirs');
  });

  it('stops the start when an address is served without saying for whom', async () => {
    const { app } = gateway.service;
    expect(() => app.get('/api/console/forgotten', async () => ({}))).toThrow();
  });
});
