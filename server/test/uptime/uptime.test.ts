/** How requests ended, kept per hour: added up over replicas, honest about what was not measured, gone after ninety days. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createUptime, createUptimeReports, type Uptime } from '../../src/uptime/index.ts';
import { quantile, STEPS, stepOf } from '../../src/uptime/waiting-times.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { handBackground } from '../services/hand-background.ts';

const DAY_MS = 86_400_000;
const clock = new HandClock();
let temporary: TemporaryDatabase;

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
});
beforeEach(() => temporary.db.query('delete from uptime_hour'));
afterAll(() => temporary.remove());

const replica = () => {
  const { background, run } = handBackground();
  return { uptime: createUptime({ db: temporary.db, clock, background, keepDays: () => 90 }), run };
};
const reports = () => createUptimeReports({ db: temporary.db, clock });
const ended = (uptime: Uptime, over: Partial<Parameters<Uptime['finished']>[0]> = {}) =>
  uptime.finished({
    model: 'maker/one',
    accountId: 'acc_1',
    state: 'completed',
    status: 200,
    errorCode: null,
    firstEventMs: 400,
    attempts: [],
    ...over,
  });
const attempt = (route: string, outcome: string, firstEventMs: number | null) => ({
  provider: 'vendor',
  credential: '',
  status: null,
  route,
  outcome,
  firstEventMs,
});

describe('uptime', () => {
  it('adds up what all replicas counted, however often they write', async () => {
    const [one, two] = [replica().uptime, replica().uptime];
    for (let at = 0; at < 9; at++) ended(one);
    await one.flush();
    ended(two, { state: 'failed', status: 502, firstEventMs: null });
    ended(two, { model: 'other/x' });
    await Promise.all([one.flush(), two.flush()]);
    await two.flush();
    const { vendors, models } = await reports().overview();
    expect(models.get('maker/one')).toEqual({ answered: 9, failed: 1 });
    expect(vendors.get('maker')?.total).toEqual({ answered: 9, failed: 1 });
    expect(vendors.get('maker')?.lately).toEqual({ answered: 9, failed: 1 });
    expect(vendors.get('other')?.total).toEqual({ answered: 1, failed: 0 });
    expect(vendors.get('nobody')).toBeUndefined();
  });

  it('counts neither who left nor who was refused, and an answer that broke off as a failure', async () => {
    const { uptime } = replica();
    ended(uptime, { state: 'client_closed' });
    ended(uptime, { state: 'refused', status: 402 });
    ended(uptime, { state: 'interrupted' });
    ended(uptime, { state: 'failed', status: 400 });
    await uptime.flush();
    expect((await reports().overview()).models.get('maker/one')).toEqual({ answered: 1, failed: 1 });
  });

  it('tells routes apart: one that failed while another answered has its own share', async () => {
    const { uptime } = replica();
    ended(uptime, {
      attempts: [attempt('first', 'server', null), attempt('second', 'ok', 900), attempt('third', 'hedge-lost', null)],
    });
    await uptime.flush();
    const { whole, routes } = await reports().ofModel('maker/one');
    expect(whole.total).toEqual({ answered: 1, failed: 0 });
    expect(routes.get('first')?.total).toEqual({ answered: 0, failed: 1 });
    expect(routes.get('second')?.total).toEqual({ answered: 1, failed: 0 });
    expect(routes.has('third')).toBe(false);
    expect(routes.get('first')?.firstTokenMs).toBeUndefined();
    expect(routes.get('second')?.firstTokenMs).toBeGreaterThan(900 * 0.85);
    expect(routes.get('second')?.firstTokenMs).toBeLessThan(900 * 1.15);
  });

  it('keeps days apart by Tehran’s midnight, and says nothing of days without a request', async () => {
    const { uptime } = replica();
    clock.advance(DAY_MS - ((clock.now() + 3.5 * 3_600_000) % DAY_MS) - 60_000);
    ended(uptime);
    clock.advance(120_000);
    ended(uptime, { state: 'failed', status: 500 });
    await uptime.flush();
    const { whole } = await reports().ofModel('maker/one');
    expect(whole.days).toHaveLength(90);
    expect(whole.days.at(-2)).toMatchObject({ answered: 1, failed: 0 });
    expect(whole.days.at(-1)).toMatchObject({ answered: 0, failed: 1 });
    expect(whole.days.slice(0, -2).every(({ answered, failed }) => answered + failed === 0)).toBe(true);
    expect(((whole.days.at(-1)?.startMs ?? 0) + 3.5 * 3_600_000) % DAY_MS).toBe(0);
  });

  it('is gone after ninety days', async () => {
    const { uptime, run } = replica();
    ended(uptime);
    await run('uptime');
    clock.advance(91 * DAY_MS);
    await run('uptime retention');
    expect(await temporary.db.query('select 1 from uptime_hour')).toEqual([]);
    expect((await reports().overview()).vendors.size).toBe(0);
  });

  it('keeps what the database did not take for the next time', async () => {
    let broken = true;
    const { background } = handBackground();
    const db = Object.create(temporary.db) as TemporaryDatabase['db'];
    db.query = (async (text: string, values?: readonly unknown[]) => {
      if (broken) throw new Error('away');
      return temporary.db.query(text, values);
    }) as typeof db.query;
    const uptime = createUptime({ db, clock, background, keepDays: () => 90 });
    ended(uptime);
    await expect(uptime.flush()).rejects.toThrow('away');
    broken = false;
    ended(uptime);
    await uptime.flush();
    expect((await reports().overview()).models.get('maker/one')).toEqual({ answered: 2, failed: 0 });
  });
});

describe('waiting times in steps', () => {
  it('are known to within an eighth, and unknown where nothing was measured', () => {
    for (const ms of [51, 300, 701, 4_000, 100_000]) {
      const counts = new Array<number>(STEPS).fill(0);
      counts[stepOf(ms)] = 3;
      const middle = quantile(counts, 0.5) ?? 0;
      expect(Math.abs(middle - ms) / ms, String(ms)).toBeLessThan(0.13);
    }
    expect(stepOf(0)).toBe(0);
    expect(stepOf(10 ** 9)).toBe(STEPS - 1);
    expect(quantile(new Array<number>(STEPS).fill(0), 0.5)).toBeUndefined();
  });
});
