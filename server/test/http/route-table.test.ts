/** The table reads addresses as the web framework does: each is asked for the same ones. */
import fc from 'fast-check';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { MAX_PARAM_CHARS, RouteTable } from '../../src/http/routes/route-table.ts';

const PATHS = [
  '/api/console/keys',
  '/api/console/keys/:id',
  '/api/console/keys/known',
  '/api/console/keys/:id/rules',
  '/api/console/keys/known/uses/:event',
  '/api/console/keys/:id/uses/:event/last',
  '/api/console/:page',
];
const METHODS = ['GET', 'POST'] as const;

const table = new RouteTable<string>();
const framework = Fastify({ routerOptions: { maxParamLength: MAX_PARAM_CHARS, ignoreTrailingSlash: true } });
for (const url of PATHS)
  for (const method of METHODS) {
    // One route has one method, so that the table must look at it.
    if (url.endsWith('known') && method === 'POST') continue;
    table.add(method, url, `${method} ${url}`);
    framework.route({
      method,
      url,
      exposeHeadRoute: false,
      handler: async (request) => ({ route: `${method} ${url}`, params: request.params }),
    });
  }

async function byFramework(method: 'GET' | 'POST', url: string): Promise<unknown> {
  const answer = await framework.inject({ method, url });
  return answer.statusCode === 200 ? answer.json() : undefined;
}

const part = fc.oneof(
  fc.constantFrom(
    'keys',
    'known',
    'uses',
    'rules',
    'last',
    '',
    'KEYS',
    '%6Beys',
    'a%2Fb',
    'a%25b',
    '100%25',
    '%D8%B3',
    ':id',
  ),
  fc.constantFrom('x'.repeat(MAX_PARAM_CHARS), 'x'.repeat(MAX_PARAM_CHARS + 1), 'a+b', 'a%2Bb', 'a;b', 'a@b', '*'),
);
const ending = fc.constantFrom('', '/', '?a=/b', '/?a=b', '//', '?');

describe('a table of routes', () => {
  it('finds what the framework finds, with the same parameters', async () => {
    const address = fc.tuple(fc.constantFrom(...METHODS), fc.array(part, { maxLength: 6 }), ending);
    await fc.assert(
      fc.asyncProperty(address, async ([method, parts, end]) => {
        const url = `/api/console/${parts.join('/')}${end}`;
        expect(table.find(method, url)).toEqual(await byFramework(method, url));
      }),
      { numRuns: 500 },
    );
  });

  it('finds an address with its host, and none of another method', () => {
    expect(table.find('GET', 'http://host:80/api/console/keys/one?x=1')?.params).toEqual({ id: 'one' });
    expect(table.find('DELETE', '/api/console/keys')).toBeUndefined();
  });

  it('refuses a route that is there already, and a part that is half a parameter', () => {
    expect(() => table.add('GET', '/api/console/keys', '')).toThrow('registered twice');
    for (const part of ['*', ':vendor.json', ':model:count', 'a*'])
      expect(() => table.add('GET', `/api/console/${part}`, '')).toThrow('neither a name nor a parameter');
  });
});
