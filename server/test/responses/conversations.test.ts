import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/core/errors.ts';
import type { Background } from '../../src/platform/background.ts';
import { createConversationStore, forgetResponses } from '../../src/responses/index.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { plenty } from '../services/memory.ts';
import { recordedLog } from '../services/silent-log.ts';

const HOUR_MS = 3_600_000;

let temporary: TemporaryDatabase;
let now = 1_700_000_000_000;
let made = 0;
const clock = { now: () => now, monotonicMs: () => now };
const randomBytes = (size: number): Uint8Array => new Uint8Array(size).fill(++made % 256);

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
});
afterAll(() => temporary.remove());
beforeEach(() => temporary.db.query('delete from conversation'));

function open(
  bounds: { keepMs?: number; perAccount?: number; characters?: number; charactersOfAccount?: number } = {},
) {
  let tidy: () => void | Promise<void> = () => undefined;
  const background: Background = {
    every: (_ms, _name, work) => {
      tidy = work;
      return () => undefined;
    },
    after: () => () => undefined,
    detach: () => undefined,
    drain: async () => [],
  };
  const all = { keepMs: HOUR_MS, perAccount: 100, characters: 1_000, charactersOfAccount: 1_500, ...bounds };
  const options = { db: temporary.db, clock, background, randomBytes, log: recordedLog(), bounds: all };
  return { store: createConversationStore(options), tidy: async () => tidy() };
}

const said = (text: string) => ({ role: 'user', content: text });
const long = (characters: number) => [said('x'.repeat(characters))];

describe('conversations', () => {
  it('give their items in the order they were said, each with an id of its own', async () => {
    const { store } = open();
    const { id } = await store.create('acme', {}, [said('one'), { ...said('two'), id: 'msg_two' }]);
    await store.add('acme', id, [{ ...said('three'), id: 'bad id \u0000' }]);
    const items = (await store.items('acme', id, plenty())) ?? [];
    expect(items.map(({ content }) => content)).toMatchObject([
      [{ text: 'one' }],
      [{ text: 'two' }],
      [{ text: 'three' }],
    ]);
    expect(items[1]?.['id']).toBe('msg_two');
    expect(items.every((item) => !String(item['id']).includes('\0'))).toBe(true);
  });

  it('go with their account when it is closed, and nobody else’s', async () => {
    const { store } = open();
    const [own, foreign] = [await store.create('acme', {}, [said('one')]), await store.create('other', {}, [])];
    await forgetResponses(temporary.db, 'acme');
    expect([await store.find('acme', own.id), (await store.find('other', foreign.id))?.id]).toEqual([
      undefined,
      foreign.id,
    ]);
  });

  it('have a bound each, which a deleted item gives back', async () => {
    const { store } = open();
    const { id } = await store.create('acme', {}, []);
    const [first] = await store.add('acme', id, long(600));
    await expect(store.add('acme', id, long(600))).rejects.toMatchObject({ status: 413 });
    expect(await store.append('acme', id, long(600))).toBe(false);
    expect(await store.items('acme', id, plenty())).toHaveLength(1);
    await store.removeItem('acme', id, String(first?.['id']));
    expect(await store.append('acme', id, long(600))).toBe(true);
  });

  it('have a bound together, so that nobody keeps files in them for nothing', async () => {
    const { store } = open();
    await store.create('acme', {}, long(800));
    await expect(store.create('acme', {}, long(800))).rejects.toBeInstanceOf(GatewayError);
    await store.create('other', {}, long(800));
    expect(await temporary.db.query('select 1 from conversation')).toHaveLength(2);
  });

  it('expire with their items, unless they go on', async () => {
    const { store, tidy } = open();
    const quiet = await store.create('acme', {}, [said('one')]);
    const going = await store.create('acme', {}, [said('one')]);
    now += HOUR_MS - 1;
    await store.append('acme', going.id, [said('two')]);
    now += 1;
    expect(await store.items('acme', quiet.id, plenty())).toBeUndefined();
    await tidy();
    expect(await temporary.db.query('select 1 from conversation_item')).toHaveLength(2);
    expect(await store.items('acme', going.id, plenty())).toHaveLength(2);
  });

  it('are kept to the newest of an account', async () => {
    const { store, tidy } = open({ perAccount: 2 });
    const made: string[] = [];
    for (let at = 0; at < 3; at++) {
      now += 1_000;
      made.push((await store.create('acme', {}, [])).id);
    }
    await tidy();
    const left = await Promise.all(made.map(async (id) => (await store.find('acme', id)) !== undefined));
    expect(left).toEqual([false, true, true]);
  });

  it('with a name that the database would refuse are not there', async () => {
    const { store } = open();
    const { id } = await store.create('acme', {}, []);
    expect(await store.items('acme', 'conv_\0', plenty())).toBeUndefined();
    expect(await store.update('acme', 'conv_\0', {})).toBeUndefined();
    expect(await store.remove('acme', 'conv_\0')).toBe(false);
    expect(await store.removeItem('acme', id, 'msg_\0')).toBe(false);
    await expect(store.add('acme', 'conv_\0', [])).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are not begun where nothing is kept', async () => {
    const { store } = open({ keepMs: 0 });
    await expect(store.create('acme', {}, [])).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
