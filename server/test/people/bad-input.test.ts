/**
 * Every field of every body of the console, given wrongly: 400, the field by its name, in the reader's language, nothing changed. With
 * `npm run test:long` in every wrong way and in both languages, otherwise in every second way and in one of them, by turns.
 * @tier services
 */

import type { RouteDescription } from '@dargah/api/describe-route.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LONG } from '../harness/long.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { Browser } from './client.ts';
import { addressOf, describedRoutes, labelOf, wholeAddressOf } from './console-routes.ts';
import { type WrongBody, wrongBodies, wrongQueries } from './wrong-bodies.ts';

interface Refusal {
  error: { param: string | null; message: string };
}

const routes = await describedRoutes('console');
const staffRoutes = await describedRoutes('admin');
const withBody = (list: readonly RouteDescription[]) => list.filter(({ body }) => body !== undefined);
const AT_ONCE = 16;
const LANGUAGES = ['fa', 'en'] as const;
/** Nothing that is readable changes by itself, as the last use of a session would on a slow machine, or a day at midnight. */
const clock = { now: () => Date.parse('2026-11-15T08:00:00Z'), monotonicMs: () => performance.now() };

let gateway: TestGateway;
let owner: Browser;
let before: Record<string, unknown>;
beforeAll(async () => {
  gateway = await startGateway({ clock });
  owner = new Browser(gateway);
  await owner.signIn('09121700001', { name: 'Sara', account_name: 'Walked' });
  await owner.post('/keys', { name: 'first' });
  // Looking at the playground for the first time makes its key.
  await owner.get('/playground');
  before = await allThatIsReadable();
}, 120_000);
afterAll(() => gateway?.stop());

/** Of a field's wrong values the first is always sent. */
function sampled(list: readonly WrongBody[]): readonly WrongBody[] {
  const seen = new Map<string | null, number>();
  return list.filter(({ field }) => {
    const turn = seen.get(field) ?? 0;
    seen.set(field, turn + 1);
    return LONG || turn % 2 === 0;
  });
}

/** Gives back those whose refusal was not as it must be. */
async function badlyRefused(list: readonly WrongBody[], send: Send): Promise<unknown[]> {
  const found: unknown[] = [];
  const left = sampled(list).flatMap((wrong, index) =>
    LANGUAGES.filter((_, turn) => LONG || turn === index % 2).map((language) => ({ ...wrong, language })),
  );
  const worker = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      const { body, field, language } = next;
      const { status, answer } = await send(body, language);
      const { param = null, message = '' } = answer.error ?? {};
      const isPersian = /[\u0600-\u06ff]/.test(message);
      if (status !== 400 || param !== field || isPersian !== (language === 'fa'))
        found.push({ body: JSON.stringify(body).slice(0, 200), field, language, status, param, message });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return found;
}

type Send = (body: unknown, language: 'fa' | 'en') => Promise<{ status: number; answer: Refusal }>;

/** Everything that the owner can read, by every route that needs nothing but its address. */
async function allThatIsReadable(): Promise<Record<string, unknown>> {
  const readable = routes.filter(
    ({ method, path, streams }) => method === 'GET' && !path.includes(':') && streams !== true,
  );
  const answers = await Promise.all(
    readable
      .filter(({ path }) => !/usage|quote|limits|export/.test(path))
      .map(async ({ path }) => [path, (await owner.send('GET', path)).body] as const),
  );
  return Object.fromEntries(answers);
}

describe('a wrong field', () => {
  it('can be made of every body that has fields', () => {
    expect(withBody(routes).length).toBeGreaterThan(30);
    const without = withBody(routes).filter(({ body }) => body && wrongBodies(body).length < 3);
    // What the playground takes is the body of a chat, which is checked where all chats are.
    expect(without.map(labelOf)).toEqual(['POST /api/console/playground/chat']);
  });

  it.each(withBody(routes).map((route) => [labelOf(route), route] as const))(
    '%s names it, in both languages',
    async (_label, route) => {
      if (route.body === undefined) return;
      const path = addressOf(route, 'nothing');
      const found = await badlyRefused(wrongBodies(route.body, route.example), async (body, language) => {
        const { status, body: answer } = await owner.send<Refusal>(route.method, path, body as object, {
          'accept-language': language,
        });
        return { status, answer };
      });
      expect(found).toEqual([]);
    },
  );

  it('left everything as it was', async () => {
    expect(Object.keys(before).length).toBeGreaterThan(20);
    expect(await allThatIsReadable()).toEqual(before);
  });
});

describe('a wrong query', () => {
  const readable = [...routes, ...staffRoutes].filter(({ query, streams }) => query !== undefined && streams !== true);

  it('can be made of every address that takes one', () => {
    expect(readable.length).toBeGreaterThan(25);
    expect(readable.filter(({ query }) => query && wrongQueries(query).length === 0).map(labelOf)).toEqual([]);
  });

  it.each(readable.map((route) => [labelOf(route), route] as const))(
    '%s names what is wrong, in both languages',
    async (_label, route) => {
      if (route.query === undefined) return;
      const path = addressOf(route, 'nothing');
      const isStaff = path.startsWith('/api/admin/');
      const found = await badlyRefused(wrongQueries(route.query), async (query, language) => {
        const { status, body: answer } = await owner.send<Refusal>(
          route.method,
          `${path}?${String(query)}`,
          undefined,
          {
            'accept-language': language,
            ...(isStaff ? { authorization: `Bearer ${gateway.operatorToken}` } : {}),
          },
        );
        return { status, answer };
      });
      expect(found).toEqual([]);
    },
  );
});

describe('a wrong field of the operator’s bodies', () => {
  it.each(withBody(staffRoutes).map((route) => [labelOf(route), route] as const))(
    '%s names it, in both languages',
    async (_label, route) => {
      if (route.body === undefined) return;
      const found = await badlyRefused(wrongBodies(route.body, route.example), async (body, language) => {
        const response = await fetch(gateway.origin + wholeAddressOf(route, 'nothing'), {
          method: route.method,
          headers: {
            authorization: `Bearer ${gateway.operatorToken}`,
            'content-type': 'application/json',
            'accept-language': language,
          },
          body: JSON.stringify(body),
        });
        return { status: response.status, answer: (await response.json()) as Refusal };
      });
      expect(found).toEqual([]);
    },
  );
});
