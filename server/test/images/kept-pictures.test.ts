/** Pictures by address: how long they are there, how many an account keeps, and what the database tells of their addresses. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createPictures, forgetPictures, PICTURE_LIFETIME_MS } from '../../src/pictures/index.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';

let temporary: TemporaryDatabase;
let now = 1_700_000_000_000;
const clock = { now: () => now, monotonicMs: () => now };
/** More than one part. */
const LARGE = Buffer.alloc(700_000, 7);

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
});
afterAll(() => temporary.remove());
beforeEach(() => temporary.db.query('delete from drawn_picture'));

function open(maxAccountBytes = 2_000_000) {
  const pictures = createPictures({ db: temporary.db, clock, randomBytes, maxAccountBytes });
  pictures.servedAt(() => 'https://api.example');
  const nameOf = (address: string) => address.slice('https://api.example/pictures/'.length);
  const keep = async (account: string) => nameOf((await pictures.keep(account, [LARGE]))[0] ?? '');
  return { pictures, keep };
}

it('a picture is there whole for its hour, and its bytes go with it', async () => {
  const { pictures, keep } = open();
  const name = await keep('acme');
  const found = await pictures.find(name);
  expect(found?.bytes).toBe(LARGE.length);
  expect((await buffer(Readable.from(found?.parts ?? [], { objectMode: false }))).equals(LARGE)).toBe(true);
  const kept = await temporary.db.query('select * from drawn_picture join drawn_picture_part on picture_id = id');
  expect(kept).toHaveLength(2);
  expect(JSON.stringify(kept)).not.toContain(name);
  now += PICTURE_LIFETIME_MS;
  expect(await pictures.find(name)).toBeUndefined();
  await pictures.clean();
  expect(await temporary.db.query('select 1 from drawn_picture_part')).toHaveLength(0);
});

it('an account keeps its newest, and nothing of another makes room', async () => {
  const { pictures, keep } = open();
  const foreign = await keep('other');
  const names: string[] = [];
  for (let at = 0; at < 4; at++) {
    now += 1_000;
    names.push(await keep('acme'));
  }
  const found = await Promise.all(names.map(async (name) => (await pictures.find(name)) !== undefined));
  expect(found).toEqual([false, false, true, true]);
  expect(await pictures.find(foreign)).toBeDefined();
});

it('all of them go with their account, and names that are none find nothing', async () => {
  const { pictures, keep } = open();
  const [mine, foreign] = [await keep('acme'), await keep('other')];
  await forgetPictures(temporary.db, 'acme');
  expect(await pictures.find(mine)).toBeUndefined();
  expect(await pictures.find(foreign)).toBeDefined();
  for (const name of ['', '../etc', `${foreign}A`, foreign.slice(1)]) expect(await pictures.find(name)).toBeUndefined();
});
