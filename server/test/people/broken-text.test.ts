/** NUL and halves of surrogate pairs, in every path, query and body: a 400 that names the field, and never a 500. @tier services */

import type { RouteDescription } from '@dargah/api/describe-route.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LONG } from '../harness/long.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { Browser } from './client.ts';
import { addressOf, describedRoutes, labelOf, wholeAddressOf } from './console-routes.ts';

const routes = [
  ...(await describedRoutes('console')),
  ...(await describedRoutes('admin')),
  ...(await describedRoutes('public')),
].filter(({ path, access }) => !path.endsWith('/live') && access !== undefined);
/** As they stand in JSON: the bytes themselves would not be UTF-8. */
const BROKEN = ['\\u0000', 'a\\ud800b', '\\udc00'];

let gateway: TestGateway;
let owner: Browser;
beforeAll(async () => {
  gateway = await startGateway();
  owner = new Browser(gateway);
  expect((await owner.send('POST', '/api/admin/sign-in', { password: await gateway.ownPassword() })).status).toBe(200);
  await owner.post('/accounts', { name: 'Walked' });
}, 120_000);
afterAll(() => gateway?.stop());

async function send({ method, access }: RouteDescription, path: string, body?: string) {
  const authorization =
    access.guard === 'key' ? { authorization: `Bearer ${gateway.key}` } : { cookie: owner.cookie ?? '' };
  const response = await fetch(gateway.origin + path, {
    method,
    headers: {
      origin: gateway.origin,
      ...(access.guard === 'open' ? {} : authorization),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const { error } = (await response.json().catch(() => ({}))) as { error?: NamingField };
  const details = Array.isArray(error?.details) ? error.details : undefined;
  const inGoogles = details?.flatMap(({ fieldViolations = [] }) => fieldViolations)[0]?.field;
  return [response.status, error?.param ?? inGoogles ?? null];
}

interface NamingField {
  param?: string | null;
  /** As Gemini's clients read it. */
  details?: { fieldViolations?: { field: string }[] }[];
}

/** Bodies of models are checked where all chats are: what they say goes to a model, not into a row. Files come as forms. */
const IS_MODEL =
  /^\/api\/v(?:[12]\/(chat|completions|messages|responses(?:\/input_tokens|\/compact)?$|embeddings|audio|images|moderations|rerank|files)|1beta\/models\/)/;
const fieldsOf = ({ body }: RouteDescription) =>
  Object.keys((body as { properties?: Record<string, unknown> } | undefined)?.properties ?? {});

describe('broken text', () => {
  it('in a path is a 400 that names the parameter', async () => {
    const walked = routes.filter(({ path }) => path.includes(':'));
    expect(walked.length).toBeGreaterThan(60);
    for (const route of walked) {
      const [, inPath = ''] = /:(\w+)/.exec(route.path) ?? [];
      const isOneText = route.servedAt?.endsWith('*') || /:model:/.test(route.path);
      const name = isOneText ? 'path' : inPath;
      const body = route.method === 'GET' || route.method === 'DELETE' ? undefined : '{}';
      const answer = await send(route, addressOf(route, 'a%00b'), body);
      expect([labelOf(route), ...answer]).toEqual([labelOf(route), 400, name]);
    }
  });

  it('in a query is a 400 that names the field', async () => {
    const walked = routes.filter(({ query }) => query !== undefined);
    expect(walked.length).toBeGreaterThan(20);
    for (const route of walked)
      for (const field of Object.keys(route.query?.properties ?? {})) {
        const answer = await send(
          route,
          `${addressOf(route, 'nothing')}?${field}=a%00b`,
          route.method === 'GET' ? undefined : '{}',
        );
        expect([labelOf(route), field, ...answer]).toEqual([labelOf(route), field, 400, field]);
      }
  });

  it('in a body is a 400 that names the field', async () => {
    const walked = routes.filter((route) => fieldsOf(route).length > 0 && !IS_MODEL.test(route.path));
    expect(walked.length).toBeGreaterThan(60);
    // One of them by turns; with `npm run test:long` each.
    for (const [turn, route] of walked.entries())
      for (const text of BROKEN.filter((_, at) => LONG || at === turn % BROKEN.length)) {
        const [field = ''] = fieldsOf(route);
        const answer = await send(route, wholeAddressOf(route, 'nothing'), `{"${field}": {"deep": ["x", "${text}"]}}`);
        expect([labelOf(route), text, ...answer]).toEqual([labelOf(route), text, 400, `${field}.deep.1`]);
        const named = await send(route, wholeAddressOf(route, 'nothing'), `{"${field}${text}": 1}`);
        expect([labelOf(route), text, named[0]]).toEqual([labelOf(route), text, 400]);
      }
  });

  it('is refused on public pages and by gateways’ returns too', async () => {
    for (const path of ['/pay/orders/%00', '/invoices/%00', '/sandbox-bank/%00', '/pay/sandbox/return?payment=%00'])
      expect([path, (await fetch(gateway.origin + path)).status]).toEqual([path, 400]);
    const form = await fetch(`${gateway.origin}/pay/sandbox/return`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'payment=a%00b',
    });
    expect(form.status).toBe(400);
  });

  it('in what models are asked is answered, and leaves a row in the log', async () => {
    const asked = await fetch(`${gateway.origin}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: '{"model": "mock/chat", "user": "u\\u0000\\ud800", "messages": [{"role": "user", "content": "a\\u0000b\\ud800"}]}',
    });
    expect([200, 400]).toContain(asked.status);
    const unknown = await fetch(`${gateway.origin}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: '{"model": "no\\u0000such\\ud800", "messages": [{"role": "user", "content": "x"}]}',
    });
    expect(unknown.status).toBeGreaterThanOrEqual(400);
    expect(unknown.status).toBeLessThan(500);
  });

  it('leaves whole pairs and every other character alone', async () => {
    const name = 'سارا \u200c 😀 \u0001';
    const [status] = await send(
      routes.find(({ operationId }) => operationId === 'changeMe') as RouteDescription,
      '/api/console/me',
      JSON.stringify({ name }).replace('😀', '\\ud83d\\ude00'),
    );
    expect(status).toBe(200);
    expect((await owner.get<{ person: { name: string } }>('/me')).body.person.name).toBe(name);
  });
});
