/** Answers that are still being made: two replicas, one database. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { responseBody } from '../../src/http/public/responses.ts';
import type { Background } from '../../src/platform/background.ts';
import { createResponseStore } from '../../src/responses/index.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { eventually } from '../services/eventually.ts';
import { plenty } from '../services/memory.ts';
import { recordedLog } from '../services/silent-log.ts';

const DAY_MS = 86_400_000;
const bounds = { bytes: 1_000_000, bytesPerResponse: 100_000, perAccount: 100, keepMs: DAY_MS };

let temporary: TemporaryDatabase;
let now = 1_700_000_000_000;
const clock = { now: () => now, monotonicMs: () => now };

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
});
afterAll(() => temporary.remove());
beforeEach(() => temporary.db.query('delete from response_store'));

/** `heartbeat` says that the replica is alive; nothing runs by itself. */
function openReplica(hears = true) {
  const jobs = new Map<string, () => void | Promise<void>>();
  const background: Background = {
    every: (_ms, name, work) => {
      jobs.set(name, work);
      return () => undefined;
    },
    after: () => () => undefined,
    detach: () => undefined,
    drain: async () => [],
  };
  const db = hears ? temporary.db : deafened();
  const store = createResponseStore({ db, clock, background, log: recordedLog(), bounds });
  const cancelled: string[] = [];
  store.onCancel((id) => cancelled.push(id));
  return { store, cancelled, heartbeat: async () => jobs.get('running responses')?.() };
}

/** A connection on which no message arrives. */
function deafened() {
  const { db } = temporary;
  return new Proxy(db, {
    get: (target, name) => {
      if (name === 'subscribe') return () => () => undefined;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function response(id: string, status: string) {
  return {
    id,
    accountId: 'acme',
    previousId: null,
    input: [{ type: 'message', role: 'user', content: 'asked' }],
    response: { id, status, background: true, output: [] },
    createdAt: now,
    expiresAt: now + DAY_MS,
  };
}

async function shownBy({ store }: ReturnType<typeof openReplica>, id: string): Promise<unknown> {
  const found = await store.find('acme', id, plenty());
  return found && responseBody(found, now, 'en')['status'];
}

describe('an answer that is being made', () => {
  it('is seen by every replica, and its end is written over its beginning', async () => {
    const [maker, other] = [openReplica(), openReplica()];
    await maker.store.begin(response('resp_1', 'in_progress'));
    expect(await shownBy(other, 'resp_1')).toBe('in_progress');
    maker.store.end(response('resp_1', 'completed'));
    expect(await shownBy(maker, 'resp_1')).toBe('completed');
    await maker.store.flush();
    expect(await shownBy(other, 'resp_1')).toBe('completed');
    expect(maker.store.isRunning('resp_1')).toBe(false);
  });

  it('runs for as long as its maker says so, and has failed when the maker was killed', async () => {
    const [maker, other] = [openReplica(), openReplica()];
    await maker.store.begin(response('resp_1', 'in_progress'));
    for (let minute = 0; minute < 10; minute++) {
      now += 20_000;
      await maker.heartbeat();
    }
    expect(await shownBy(other, 'resp_1')).toBe('in_progress');
    now += 30_001;
    expect(await shownBy(other, 'resp_1')).toBe('failed');
  });

  it('that another replica cancels is stopped, and its late end changes nothing', async () => {
    const [maker, other] = [openReplica(), openReplica()];
    await maker.store.begin(response('resp_1', 'in_progress'));
    expect(await other.store.cancel({ ...response('resp_1', 'cancelled'), accountId: 'other' })).toBe(false);
    expect(await other.store.cancel(response('resp_1', 'cancelled'))).toBe(true);
    await eventually(() => expect(maker.cancelled).toEqual(['resp_1']));
    maker.store.end(response('resp_1', 'completed'));
    await maker.store.flush();
    expect(await shownBy(maker, 'resp_1')).toBe('cancelled');
    expect(await other.store.cancel(response('resp_1', 'cancelled'))).toBe(false);
  });

  it('that was cancelled while no message came through is stopped by the next sign of life', async () => {
    const [maker, other] = [openReplica(false), openReplica()];
    await maker.store.begin(response('resp_1', 'in_progress'));
    await maker.store.begin(response('resp_2', 'in_progress'));
    await other.store.cancel(response('resp_1', 'cancelled'));
    await maker.heartbeat();
    expect(maker.cancelled).toEqual(['resp_1']);
    expect(maker.store.isRunning('resp_2')).toBe(true);
  });

  it('that was deleted does not come back with its end', async () => {
    const [maker, other] = [openReplica(false), openReplica()];
    await maker.store.begin(response('resp_1', 'in_progress'));
    await other.store.remove('acme', 'resp_1');
    maker.store.end(response('resp_1', 'completed'));
    await maker.store.flush();
    expect(await temporary.db.query('select 1 from response_store')).toEqual([]);
  });
});
