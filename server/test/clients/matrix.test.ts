/**
 * Every client library × every upstream protocol × every scenario, through a running gateway. Without `npm run test:long` a
 * library plays each scenario with two of the four protocols, by turns, and another library of the same API with the other two.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LONG } from '../harness/long.ts';
import { startGateway, TEST_KEY, type TestGateway } from '../harness/start-gateway.ts';
import type { OpenClient } from './client.ts';
import { LIBRARIES } from './libraries.ts';
import { SCENARIOS, type Stage } from './scenarios.ts';

const UPSTREAMS = {
  'openai-chat': 'mock/chat',
  'anthropic-messages': 'mock/claude',
  'openai-responses': 'mock/responses',
  'gemini-generate': 'mock/gemini',
};
/** Nobody else takes the other turns of its API. */
const ALONE = '@google/genai 3';
const KEYS = { main: TEST_KEY, poor: 'dg-test-poor', limited: 'dg-test-limited' };
const ACCOUNTS = [
  {
    id: 'acme',
    name: 'Acme',
    balance: 100_000,
    keys: [
      { id: 'main', key: KEYS.main },
      { id: 'limited', key: KEYS.limited, rules: { rpm: 0 } },
    ],
  },
  { id: 'poor', name: 'Poor', balance: 0, keys: [{ id: 'poor', key: KEYS.poor }] },
];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ config: { accounts: ACCOUNTS } });
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());

const loaded = await Promise.all(
  Object.entries(LIBRARIES).map(async ([name, load]) => ({ name, open: await load().catch(String) })),
);

describe.each(loaded.map((library, row) => ({ ...library, row })))('$name', ({ name, open, row }) => {
  if (typeof open === 'string') {
    // A client that does not load proves nothing: visible elsewhere, a failure in CI.
    const report = process.env['CI'] ? it : it.skip;
    report(`loads on Node ${process.version}`, () => expect.fail(open));
    return;
  }
  const clientsOf = (library: OpenClient): Stage['clients'] => {
    const client = (key: string) => library({ baseUrl: gateway.baseUrl, key });
    return { main: client(KEYS.main), poor: client(KEYS.poor), limited: client(KEYS.limited) };
  };

  describe.each(Object.entries(UPSTREAMS).map(([protocol, model], column) => ({ protocol, model, column })))(
    '$protocol',
    ({ model, column }) => {
      const played = Object.entries(SCENARIOS).filter(
        (_, turn) => LONG || name === ALONE || (row + column + turn) % 2 === 0,
      );
      it.each(played)('%s', async (_scenario, play) => {
        await play({ clients: clientsOf(open), vendor: gateway.vendor, model });
      });
    },
  );
});
