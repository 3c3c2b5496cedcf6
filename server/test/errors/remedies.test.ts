/** An error names the rule, whose it is, its value and its end, and leads to the page where a person changes it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

const SITE = 'https://gate.example';
const hello = { model: 'mock/chat', max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] };
let gateway: TestGateway;

beforeAll(async () => {
  const key = (id: string, rules: object) => ({ id, key: `dg-test-${id}`, rules });
  gateway = await startGateway({
    env: { DARGAH_PUBLIC_URL: SITE },
    config: {
      accounts: [
        {
          id: 'acme',
          balance: 100_000,
          keys: [
            key('main', {}),
            key('expired', { expires_at: '2020-01-01T00:00:00Z' }),
            key('one-model', { models: ['mock/claude'] }),
            key('capped', { caps: { daily: 0 } }),
            key('no-requests', { rpm: 0 }),
          ],
        },
        { id: 'poor', balance: 0, keys: [key('poor', {})] },
        { id: 'bound', balance: 100_000, rules: { models: ['mock/claude'] }, keys: [key('bound', {})] },
        { id: 'still', balance: 100_000, rules: { paused: true }, keys: [key('still', {})] },
      ],
    },
  });
});
afterAll(() => gateway.stop());

interface Shown {
  error: { message: string; remedy_url?: string; details?: { remedy_url?: string } };
}

async function refusal(id: string, path = '/api/v1/chat/completions', body: object = hello): Promise<Shown['error']> {
  const answer = await gateway.fetch(path, {
    method: 'POST',
    key: `dg-test-${id}`,
    headers: { 'content-type': 'application/json', 'accept-language': 'en' },
    body: JSON.stringify(body),
  });
  return ((await answer.json()) as Shown).error;
}

describe('a refusal', () => {
  it.each([
    ['poor', '/console/wallet', 'Top up'],
    ['capped', '/console/keys/capped', 'The daily cap of the key is 0 toman and starts anew on'],
    ['no-requests', '/console/keys/no-requests', 'The limit of the key is 0 requests per minute.'],
    ['one-model', '/console/keys/one-model', "The model mock/chat is not on the key's list of allowed models."],
    ['bound', '/console/limits', "The model mock/chat is not on the account's list of allowed models."],
    ['expired', '/console/keys/expired', 'It ended on 1 January 2020'],
    ['still', '/console/limits', 'This account is paused'],
    ['wrong', '/console/keys', 'The API key is missing'],
  ])('of %s leads to %s', async (id, page, words) => {
    const error = await refusal(id);
    expect(error.message).toContain(words);
    expect(error.remedy_url).toBe(SITE + page);
  });

  it('says so among the details where messages are spoken', async () => {
    const error = await refusal('poor', '/api/v1/messages');
    expect([error.remedy_url, error.details?.remedy_url]).toEqual([undefined, `${SITE}/console/wallet`]);
  });

  it('of an unknown model leads to the catalog', async () => {
    expect((await refusal('main', undefined, { ...hello, model: 'mock/none' })).remedy_url).toBe(`${SITE}/catalog`);
  });

  it('that no page mends leads nowhere', async () => {
    expect(await refusal('main', undefined, { ...hello, messages: 7 })).not.toHaveProperty('remedy_url');
  });
});
