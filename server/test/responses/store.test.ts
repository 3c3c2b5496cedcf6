import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import type { Background } from '../../src/platform/background.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { MemoryBudget } from '../../src/platform/memory-budget.ts';
import { createResponseStore, type ResponseStore, type ResponseStoreBounds } from '../../src/responses/index.ts';
import { purge } from '../../src/responses/purge.ts';
import { MAX_LINKS } from '../../src/responses/store.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { eventually } from '../services/eventually.ts';
import { plenty } from '../services/memory.ts';
import { type RecordedLog, recordedLog } from '../services/silent-log.ts';

const DAY_MS = 86_400_000;
const BOUNDS: ResponseStoreBounds = { bytes: 1_000_000, bytesPerResponse: 100_000, perAccount: 100, keepMs: DAY_MS };

let temporary: TemporaryDatabase;
let log: RecordedLog;
let now = 1_700_000_000_000;
const clock = { now: () => now, monotonicMs: () => now };

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
});
afterAll(() => temporary.remove());
beforeEach(async () => {
  await temporary.db.query('delete from response_store');
  log = recordedLog();
});

/** A replica's store; nothing runs by itself, so that a test decides when it is written. */
function openStore(bounds: Partial<ResponseStoreBounds> = {}, db: Database = temporary.db): ResponseStore {
  const never = () => () => undefined;
  const background: Background = { every: never, after: never, detach: () => undefined, drain: async () => [] };
  return createResponseStore({ db, clock, background, log, bounds: { ...BOUNDS, ...bounds } });
}

function stored(id: string, previousId: string | null = null, more: JsonObject[] = []) {
  return {
    id,
    accountId: 'acme',
    previousId,
    input: [{ type: 'message', role: 'user', content: `asked ${id} \u0000` }],
    response: { id, output: [{ id: `msg_${id}`, type: 'message', content: [] }, ...more] },
    createdAt: now,
    expiresAt: now + BOUNDS.keepMs,
  };
}

/** A store, and the work that it has scheduled: a test decides when that runs. */
function openScheduledStore(db: Database): { store: ResponseStore; due: (() => void | Promise<void>)[] } {
  const due: (() => void | Promise<void>)[] = [];
  const background: Background = {
    every: () => () => undefined,
    after(_ms, _name, work) {
      due.push(work);
      return () => undefined;
    },
    detach: () => undefined,
    drain: async () => [],
  };
  return { store: createResponseStore({ db, clock, background, log, bounds: BOUNDS }), due };
}

describe('stored responses', () => {
  it('are there at once, and in the database after a flush, for every replica', async () => {
    const [one, two] = [openStore(), openStore()];
    one.keep(stored('resp_1'));
    expect(await one.find('acme', 'resp_1', plenty())).toEqual(stored('resp_1'));
    expect(await two.find('acme', 'resp_1', plenty())).toBeUndefined();
    await one.flush();
    expect(await two.find('acme', 'resp_1', plenty())).toEqual(stored('resp_1'));
    expect(await two.find('other', 'resp_1', plenty())).toBeUndefined();
  });

  it('are written soon, also after the database was away, and with none nothing is scheduled', async () => {
    let away = true;
    const query: Database['query'] = (...asked) =>
      away ? Promise.reject(new Error('away')) : temporary.db.query(...asked);
    const db = new Proxy(temporary.db, {
      get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)),
    });
    const { store, due } = openScheduledStore(db);
    expect(due).toHaveLength(0);
    store.keep(stored('resp_1'));
    store.keep(stored('resp_2'));
    expect(due).toHaveLength(1);
    await due.shift()?.();
    expect(due).toHaveLength(1);
    away = false;
    await due.shift()?.();
    expect(due).toHaveLength(0);
    for (const id of ['resp_1', 'resp_2']) expect(await openStore().find('acme', id, plenty())).toEqual(stored(id));
    store.keep(stored('resp_3'));
    expect(due).toHaveLength(1);
  });

  it('form a conversation across memory and database, oldest first', async () => {
    const early = openStore();
    early.keep(stored('resp_1'));
    early.keep(stored('resp_2', 'resp_1'));
    await early.flush();
    const late = openStore();
    late.keep(stored('resp_3', 'resp_2'));
    expect((await late.chain('acme', 'resp_3', plenty()))?.map(({ id }) => id)).toEqual(['resp_1', 'resp_2', 'resp_3']);
    expect(await late.chain('other', 'resp_3', plenty())).toBeUndefined();
    await late.remove('acme', 'resp_2');
    expect(await late.chain('acme', 'resp_3', plenty())).toBeUndefined();
  });

  it('give up their items by id', async () => {
    const [one, two] = [openStore(), openStore()];
    one.keep(stored('resp_1'));
    await one.flush();
    two.keep(stored('resp_2'));
    const items = await two.items('acme', ['msg_resp_1', 'msg_resp_2', 'msg_none'], plenty());
    expect([...items.keys()].toSorted()).toEqual(['msg_resp_1', 'msg_resp_2']);
    expect((await two.items('other', ['msg_resp_1'], plenty())).size).toBe(0);
  });

  it('are deleted from the memory of every replica', async () => {
    const [one, two] = [openStore(), openStore()];
    one.keep(stored('resp_1'));
    await one.flush();
    expect(await two.remove('other', 'resp_1')).toBe(false);
    expect(await two.remove('acme', 'resp_1')).toBe(true);
    await eventually(async () => expect(await one.find('acme', 'resp_1', plenty())).toBeUndefined());
  });

  it('deleted while they wait are never written', async () => {
    const store = openStore();
    store.keep(stored('resp_1'));
    expect(await store.remove('acme', 'resp_1')).toBe(true);
    await store.flush();
    expect(await temporary.db.query('select 1 from response_store')).toEqual([]);
  });

  it('leave memory when it is full and are found in the database', async () => {
    const store = openStore({ bytes: 3_000 });
    for (const id of ['resp_1', 'resp_2', 'resp_3']) store.keep(stored(id));
    // Still waiting for the database: not lost although memory let go of it.
    expect(await store.find('acme', 'resp_1', plenty())).toBeDefined();
    await store.flush();
    expect(await store.find('acme', 'resp_1', plenty())).toEqual(stored('resp_1'));
  });

  it('expire, unless their conversation goes on', async () => {
    const store = openStore();
    store.keep(stored('resp_1'));
    store.keep(stored('resp_2'));
    await store.flush();
    now += DAY_MS - 1_000;
    expect(await openStore().chain('acme', 'resp_none', plenty())).toBeUndefined();
    const going = openStore();
    await going.chain('acme', 'resp_1', plenty());
    await going.flush();
    now += 2_000;
    expect(await store.find('acme', 'resp_2', plenty())).toBeUndefined();
    expect(await openStore().find('acme', 'resp_1', plenty())).toBeDefined();
    await purge(temporary.db, 'response_store', now, 100);
    const left = await temporary.db.query<{ id: string }>('select id from response_store');
    expect(left).toEqual([{ id: 'resp_1' }]);
  });

  it('are kept to the newest of an account', async () => {
    const store = openStore();
    for (const id of ['resp_1', 'resp_2', 'resp_3']) {
      now += 1_000;
      store.keep(stored(id));
    }
    await store.flush();
    await purge(temporary.db, 'response_store', now, 2);
    const left = await temporary.db.query<{ id: string }>('select id from response_store order by id');
    expect(left.map(({ id }) => id)).toEqual(['resp_2', 'resp_3']);
  });

  it('with names that the database would refuse do not hold up those behind them', async () => {
    const store = openStore();
    store.keep(stored('resp_1', null, [{ id: 'msg_\u0000', type: 'message' }]));
    store.keep(stored('resp_2'));
    await store.flush();
    expect(await openStore().find('acme', 'resp_2', plenty())).toBeDefined();
    expect(await store.find('acme', 'resp_\u0000', plenty())).toBeUndefined();
    expect(await store.remove('acme', 'resp_\u0000')).toBe(false);
    expect((await store.items('acme', ['msg_\u0000'], plenty())).size).toBe(0);
  });

  it('wait for a database that is gone, and are bounded while they do', async () => {
    const gone = { ...temporary.db, subscribe: () => () => undefined, query: () => Promise.reject(new Error('gone')) };
    const store = openStore({}, gone as never);
    for (let at = 0; at < 5_001; at++) store.keep(stored(`resp_${at}`));
    await expect(store.flush()).rejects.toThrow('gone');
    expect(await store.find('acme', 'resp_5000', plenty())).toBeDefined();
    expect(log.lines.filter(({ message }) => message.includes('given up'))).toHaveLength(1);
  });

  it('that wait for a database that is gone are bounded in bytes too', async () => {
    const gone = { ...temporary.db, subscribe: () => () => undefined, query: () => Promise.reject(new Error('gone')) };
    const store = openStore({}, gone as never);
    const long = [{ id: 'long', type: 'message', text: 'x'.repeat(2 << 20) }];
    // Two bytes a character are counted, and 64 MiB may wait.
    for (let at = 0; at < 20; at++) store.keep(stored(`resp_${at}`, null, long));
    expect(log.lines.filter(({ message }) => message.includes('given up'))).toHaveLength(5);
    expect(await store.find('acme', 'resp_19', plenty())).toBeDefined();
  });
});

describe('what is loaded of stored answers', () => {
  const MIB = 2 ** 20;
  /** Whoever must wait is refused at once. */
  const budgetOf = (maxBytes: number) =>
    new MemoryBudget({
      maxBytes,
      after: (_ms, run) => {
        const soon = setImmediate(run);
        return () => clearImmediate(soon);
      },
    });

  function counted() {
    const texts: string[] = [];
    const db: Database = {
      ...temporary.db,
      subscribe: () => () => undefined,
      query: (text, values, options) => {
        texts.push(options?.name ?? '');
        return temporary.db.query(text, values, options);
      },
    };
    return { db, loads: () => texts.filter((name) => name === 'response-texts').length, all: texts };
  }

  async function insertChain(links: number, bytes: number, itemId?: string): Promise<void> {
    await temporary.db.query(
      `insert into response_store (id, account_id, previous_id, input, response, item_ids, created_at, expires_at)
       select 'resp_' || n, 'acme', case when n > 1 then 'resp_' || n - 1 end,
              '[{"id":"' || $3 || '","type":"message","role":"user","content":"' || repeat('x', $2) || '"}]',
              '{"output":[]}', array[$3], to_timestamp($4 / 1000.0), to_timestamp($4 / 1000.0) + interval '1 day'
         from generate_series(1, $1) as n`,
      [links, bytes, itemId ?? 'msg_item', now],
    );
  }

  it('stays within the budget when 30 requests name a chain of ten answers of 4 MB', async () => {
    await insertChain(10, 4 * MIB);
    const { db, loads } = counted();
    const store = openStore({}, db);
    const budget = budgetOf(512 * MIB);
    const shares = Array.from({ length: 30 }, (_, at) => budget.open(`account ${at}`));
    const results = await Promise.allSettled(shares.map((share) => store.chain('acme', 'resp_10', share)));
    const chains = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(chains.map((chain) => chain?.length)).toEqual([10]);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'overloaded' });
    // One statement for the whole chain, and none for whoever was refused.
    expect(loads()).toBe(1);
    expect(budget.state.peakBytes).toBeGreaterThan(10 * 4 * MIB * 6);
    expect(budget.state.peakBytes).toBeLessThanOrEqual(512 * MIB);
  });

  it('is one answer for an item that 40 of them hold', async () => {
    await insertChain(40, MIB, 'msg_shared');
    const { db } = counted();
    const store = openStore({}, db);
    const budget = budgetOf(512 * MIB);
    const found = await store.items('acme', ['msg_shared', 'msg_shared'], budget.open());
    expect(found.get('msg_shared')).toMatchObject({ id: 'msg_shared', role: 'user' });
    expect(budget.state.peakBytes).toBeLessThan(2 * MIB * 6);
  });

  it('is refused by name when a chain has too many links or too much in them', async () => {
    await insertChain(MAX_LINKS + 1, 10);
    const { db, loads } = counted();
    const store = openStore({}, db);
    await expect(store.chain('acme', `resp_${MAX_LINKS + 1}`, plenty())).rejects.toMatchObject({
      code: 'invalid_request',
      options: { param: 'previous_response_id' },
    });
    expect(await store.chain('acme', `resp_${MAX_LINKS}`, plenty())).toHaveLength(MAX_LINKS);
    await temporary.db.query('delete from response_store');
    await insertChain(17, 4 * MIB);
    await expect(store.chain('acme', 'resp_17', plenty())).rejects.toMatchObject({ status: 413 });
    expect(loads()).toBe(1);
  });

  it('is refused when too many items are named', async () => {
    const ids = Array.from({ length: 1_001 }, (_, at) => `msg_${at}`);
    await expect(openStore().items('acme', ids, plenty())).rejects.toMatchObject({ options: { param: 'input' } });
  });
});
