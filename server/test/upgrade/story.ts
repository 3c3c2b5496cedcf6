/**
 * The upgrade from a released version, as an operator lives it: today's version starts on what a killed process of that version
 * left, everything is as it was, a second start changes nothing, and that version starts once more on the new tables.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/core/version.ts';
import { ownSchemaNumber } from '../../src/platform/db/index.ts';
import { type Program as Built, buildProgram } from '../harness/replica.ts';
import { eventually } from '../services/eventually.ts';
import { proofAt } from './proof-at.ts';
import {
  type Expected,
  expectedOf,
  type Installation,
  programOf,
  RELEASED,
  type Running,
  restore,
  start,
} from './stage.ts';
import {
  Browser,
  Operator,
  type Outside,
  oneTimeCode,
  openOutside,
  Program,
  PUBLIC_URL,
  readState,
  signIn,
} from './tools.ts';

const A_MINUTE = 60_000;
const MICRO = 1_000_000n;

/** Toman with up to six decimals, exactly. */
function micro(toman: string): bigint {
  const [, sign = '', whole = '0', part = ''] = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(toman) ?? [];
  const amount = BigInt(whole) * MICRO + BigInt(part.padEnd(6, '0'));
  return sign === '-' ? -amount : amount;
}

export function upgradeStory(database: () => Promise<string | undefined>): void {
  describe.each(RELEASED)('from %s', (version) => {
    const expected = expectedOf(version);
    const shiftMs = expected.made_at + A_MINUTE - Date.now();
    let today: Built;
    let outside: Outside;
    let at: Installation;
    let server: Running;

    beforeAll(async () => {
      [today, outside] = await Promise.all([buildProgram(), openOutside()]);
      at = await restore(version, await database());
      server = await start({ program: today.path, at, shiftMs });
    }, 300_000);
    afterAll(async () => {
      await server?.kill();
      await at?.remove();
      await outside?.close();
      await today?.remove();
    });

    const operator = () => new Operator(server.origin);
    const program = () => new Program(server.origin, expected.secrets.key);

    it('has migrated, and says so with its version', async () => {
      const ready = await operator().get<{ version: string; schema: number }>('/readyz');
      expect(ready).toMatchObject({ version: VERSION, schema: await ownSchemaNumber() });
    });

    it('has posted what the killed process charged, once, and what it was at is free', async () => {
      for (const [id, { cost, state }] of Object.entries(expected.charges))
        expect(await operator().get(`/api/admin/requests/${id}`)).toMatchObject({ cost, state, model: 'maker/one' });
      const { data } = await operator().get<{ data: { cost: string }[] }>('/api/admin/requests?state=interrupted');
      expect(data.length).toBeGreaterThan(0);
      expect(new Set(data.map(({ cost }) => cost))).toEqual(new Set(['0']));
      const { data: aside } = await operator().get<{ data: object[] }>('/api/admin/charges/set-aside');
      expect(aside).toEqual([]);
    });

    it('has the same wallets, transfers, receipts, orders, papers and prices, and its books prove', async () => {
      await expectSame(server, expected);
    });

    it('has moved what that version booked to the books of the chart', async () => {
      const books = await booksOf(server);
      expect([books.get('cash'), books.get('adjustments')]).toEqual([undefined, undefined]);
      // The wallets are what they were, so all the other books together are what they have to be.
      const moved = await operator().get<{ data: object[] }>('/api/admin/transfers?kind=cutover');
      expect(moved.data.length).toBeGreaterThan(1);
      expect(moved.data.every((one) => 'account_id' in one && one.account_id === null)).toBe(true);
    });

    it('answers the key, with the secret of the provider that was sealed before', async () => {
      await operator().patch('/api/admin/providers/maker', { base_url: `${outside.origin}/v1` });
      const answer = await eventually(async () => {
        const asked = await program().chat('after the upgrade');
        expect(asked.status).toBe(200);
        return asked;
      });
      expect(outside.seen.at(-1)?.authorization).toBe('Bearer sk-sealed-secret-of-the-provider');
      expect(await operator().get(`/api/admin/requests/${answer.id}`)).toMatchObject({ cost: '1.8' });
    });

    it('lets the person in by password and second factor, and by passkey', async () => {
      const { mobile, password, totp, passkey, person } = expected.secrets;
      const byPassword = new Browser(server.origin);
      const first = await byPassword.post<{ second_factor: { ticket: string } }>('/api/console/sign-in/password', {
        to: mobile,
        password,
      });
      const { ticket } = first.second_factor;
      const code = oneTimeCode(totp, Date.now() + shiftMs);
      const entered = await byPassword.post('/api/console/sign-in/second-factor', { ticket, code });
      expect(entered).toMatchObject({ person: { id: person }, accounts: [{ id: expected.account, role: 'owner' }] });
      const byKey = new Browser(server.origin);
      const begun = await byKey.post<{ ticket: string; options: object }>('/api/console/sign-in/passkey/options');
      const response = signIn(passkey, begun.options, PUBLIC_URL, person);
      expect(await byKey.post('/api/console/sign-in/passkey', { ticket: begun.ticket, response })).toMatchObject({
        person: { id: person },
      });
    });

    it('changes nothing when it starts a second time', async () => {
      const before = await stateOf(server, expected);
      await server.stop();
      server = await start({ program: today.path, at, shiftMs });
      expect(await stateOf(server, expected)).toEqual(before);
    }, 180_000);

    it('leaves tables on which that version starts, sells and posts, and then this one again', async () => {
      await server.stop();
      server = await start({ program: await programOf(version), at, shiftMs });
      const ids = [];
      for (const text of ['back', 'and forth']) {
        const answer = await program().chat(text);
        expect(answer.status).toBe(200);
        ids.push(answer.id);
      }
      await proved(server);
      const before = await booksOf(server);
      const given = { id: 'after-the-way-back', kind: 'top-up', amount: 12_345, note: 'by the version before' };
      await operator().post('/api/admin/accounts/acme/transfers', given);
      expect((await booksOf(server)).get('cash')).toBe(micro('12345'));
      await server.stop();
      server = await start({ program: today.path, at, shiftMs });
      const after = await booksOf(server);
      expect([after.get('cash'), after.get('adjustments')]).toEqual([undefined, undefined]);
      expect((after.get('undocumented') ?? 0n) - (before.get('undocumented') ?? 0n)).toBe(micro('12345'));
      for (const id of ids)
        expect(await operator().get(`/api/admin/requests/${id}`)).toMatchObject({ cost: '1.8', state: 'completed' });
      await proved(server);
    }, 240_000);
  });
}

function stateOf(server: Running, { secrets, requests, charges }: Expected) {
  return readState(server.origin, { key: secrets.key, requests: [...requests, ...Object.keys(charges)] });
}

async function expectSame(server: Running, expected: Expected): Promise<void> {
  const { charges, requests, secrets } = expected;
  const state = await readState(server.origin, { key: secrets.key, requests });
  const charged = Object.values(charges).reduce((sum, { cost }) => sum + micro(cost), 0n);
  for (const [id, balance] of Object.entries(expected.wallets))
    expect([id, micro(state.wallets[id] ?? '')]).toEqual([id, micro(balance) - (id === 'acme' ? charged : 0n)]);
  const before = new Set(expected.transfers.map(({ id }) => id));
  expect(state.transfers.filter(({ id }) => before.has(id))).toEqual(expected.transfers);
  const own = new Set(['provider-cost', 'cutover']);
  const added = state.transfers.filter(({ id, kind }) => !before.has(id) && !own.has(kind));
  expect(added.map(({ id }) => id).sort()).toEqual(Object.keys(charges).sort());
  // Later versions may say more of an order, a request, a paper or a model; what was said before still holds.
  expect(state.orders).toMatchObject(expected.orders);
  expect(state.receipts).toMatchObject(expected.receipts);
  // A PDF is drawn when it is asked for, and 0.2.0 draws its figures at another edge; what it says is the paper's.
  const drawnAnew = Object.entries(expected.papers).map(([id, paper]) => [id, { ...paper, pdf: expect.any(String) }]);
  expect(state.papers).toMatchObject(Object.fromEntries(drawnAnew));
  const sold = new Set(expected.models.map(({ id }) => id));
  const models = state.models as { id: string }[];
  expect(models.filter(({ id }) => sold.has(id))).toMatchObject(expected.models);
  await proved(server);
}

/** Debits less credits; a closed book that holds nothing is not listed. */
async function booksOf({ origin }: Running): Promise<Map<string, bigint>> {
  const { books } = await new Operator(origin).get<{ books: { book: string; debit: string; credit: string }[] }>(
    '/api/admin/trial-balance',
  );
  return new Map(books.map(({ book, debit, credit }) => [book, micro(debit) - micro(credit)]));
}

async function proved(server: Running): Promise<void> {
  await eventually(async () => {
    const { ok, checks } = await proofAt(server.origin);
    expect({ ok, checks }).toMatchObject({ ok: true });
  });
}
