/**
 * The first answers of a page of the console, read through the same routes, guards and session as if the browser had
 * asked: what the person may not read is left out, and the page asks for it itself.
 */
import { type FirstRead, firstReads, ME_READ } from '@dargah/core/first-reads.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isJsonObject, type Json, parseJson } from '../../core/json.ts';

interface FirstAnswer extends FirstRead {
  data: Json;
}

/** Headers that are passed on, so that session, language and address are those of the reader. */
const PASSED = ['cookie', 'user-agent', 'host', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip'] as const;

/** Returns undefined when nobody is signed in and the sign-in page is shown. */
export async function firstData(
  app: FastifyInstance,
  request: FastifyRequest,
  language: string,
  nowMs: number,
): Promise<FirstAnswer[] | undefined> {
  const headers: Record<string, string> = { accept: 'application/json', 'accept-language': language };
  for (const name of PASSED) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  const read = async ({ address, query = {} }: FirstRead): Promise<Json | undefined> => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) search.set(name, String(value));
    const path = address.slice(address.indexOf(' ') + 1);
    const answer = await app.inject({
      method: 'GET',
      url: search.size === 0 ? path : `${path}?${search}`,
      headers,
      remoteAddress: request.socket.remoteAddress ?? '127.0.0.1',
    });
    return answer.statusCode === 200 ? parseJson(answer.body) : undefined;
  };
  const me = await read(ME_READ);
  if (!isJsonObject(me)) return undefined;
  const found: FirstAnswer[] = [{ ...ME_READ, data: me }];
  // A person who must first choose a password or an account sees another page.
  if (me['password_change_required'] === true || me['account_id'] === null) return found;
  const path = request.url.split('?', 1)[0] ?? '';
  const reads = firstReads(path, nowMs);
  const answers = await Promise.all(reads.map(read));
  for (const [at, one] of reads.entries()) {
    const data = answers[at];
    if (data !== undefined) found.push({ ...one, data });
  }
  return found;
}
