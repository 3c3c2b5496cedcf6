/** An operator's client for tests: every answer is also checked against the OpenAPI document that the server publishes. */

import { expect } from 'vitest';
import type { TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { type Contract, readContract } from './contract.ts';

type Answer = Record<string, unknown>;

export interface Operator {
  get<T = Answer>(path: string): Promise<T>;
  post<T = Answer>(path: string, body?: object): Promise<T>;
  put(path: string, body: object): Promise<Answer>;
  patch(path: string, body: object): Promise<Answer>;
  remove(path: string): Promise<Answer>;
  /** `[status, param]` of a refusal. */
  refused(method: string, path: string, body?: object): Promise<[number, string | null]>;
  /** Ids of all pages. */
  allPages(path: string, limit: number): Promise<string[]>;
  /** Asks again until the answer is as expected, for one second. */
  soon<T>(ask: () => Promise<T>, expected: T): Promise<void>;
}

export async function operatorOf(gateway: TestGateway, origin = gateway.origin): Promise<Operator> {
  const contract: Contract = await readContract(origin, gateway.operatorToken);
  const send = (method: string, path: string, body?: object) =>
    fetch(`${origin}/api/admin${path}`, {
      method,
      headers: {
        authorization: `Bearer ${gateway.operatorToken}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const done = async (method: string, path: string, body?: object): Promise<Answer> => {
    const response = await send(method, path, body);
    const answer = (await response.json()) as Answer;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    contract.check(method, `/api/admin${path}`, response.status, answer);
    return answer;
  };
  return {
    get: <T>(path: string) => done('GET', path) as Promise<T>,
    post: <T>(path: string, body?: object) => done('POST', path, body) as Promise<T>,
    put: (path, body) => done('PUT', path, body),
    patch: (path, body) => done('PATCH', path, body),
    remove: (path) => done('DELETE', path),
    async refused(method, path, body) {
      const response = await send(method, path, body);
      const { error } = (await response.json()) as { error: { param: string | null; message: string; type: string } };
      expect(error.message).not.toBe('');
      expect(error.type).not.toBe('');
      return [response.status, error.param];
    },
    async allPages(path, limit) {
      const ids: string[] = [];
      let after: string | null = '';
      while (after !== null) {
        const cursor: string = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
        const answer = await done('GET', `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor}`);
        const data = answer['data'] as { id: string }[];
        expect(data.length).toBeLessThanOrEqual(limit);
        ids.push(...data.map(({ id }) => id));
        after = answer['next'] as string | null;
      }
      return ids;
    },
    async soon(ask, expected) {
      await eventually(async () => expect(await ask()).toEqual(expected));
    },
  };
}
