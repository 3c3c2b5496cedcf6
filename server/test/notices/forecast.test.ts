/** When the balance and the caps end at the pace of the last days, and how that is said. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { money } from '../../src/core/money.ts';
import { createKeyService } from '../../src/keys/index.ts';
import { endSentence, endsAt, forecastOf } from '../../src/notices/index.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';

const NOW = Date.parse('2026-10-10T08:00:00Z');
const DAY = 86_400_000;
const calendar = { timeZone: 'Asia/Tehran', month: 'jalali' as const };
const words = { fa: 'این کلید', en: 'this key' };

describe('the sentence', () => {
  it('names the day in the calendar of the account', () => {
    const at = endsAt(money(50_000_000n), money(10_000_000n), NOW);
    expect(at).toBe(NOW + 5 * DAY);
    expect(endSentence(words, at, calendar, NOW)).toEqual({
      fa: 'با این روند این کلید ۲۳ مهر تمام می‌شود.',
      en: 'At this pace this key runs out on 23 Mehr.',
    });
    expect(endsAt(money(5n), money(0n), NOW)).toBeNull();
  });

  it('calls today so, has the year of a day that is far, and no day for what is at its end', () => {
    // 8:00 UTC is 11:30 in Tehran: there the day ends in twelve and a half hours.
    const hour = DAY / 24;
    expect(endSentence(words, NOW + 12 * hour, calendar, NOW)).toEqual({
      fa: 'با این روند این کلید امروز تمام می‌شود.',
      en: 'At this pace this key runs out today.',
    });
    expect(endSentence(words, NOW + 13 * hour, calendar, NOW).en).toBe('At this pace this key runs out on 19 Mehr.');
    const far = endSentence(words, NOW + 400 * DAY, calendar, NOW);
    expect(far.fa).toContain('۱۴۰۶');
    expect(far.en).toMatch(/on \d+ Aban 1406\.$/);
    expect(endSentence(words, endsAt(money(0n), money(1n), NOW), calendar, NOW)).toEqual({
      fa: 'این کلید تمام شده است.',
      en: 'Nothing is left of this key.',
    });
  });
});

describe('the forecast of an account', () => {
  let temporary: TemporaryDatabase;
  beforeAll(async () => {
    temporary = await openTemporaryDatabase();
  });
  afterAll(() => temporary.remove());

  it('says which cap of what ends when, and that a cap which is filled again before does not', async () => {
    const { db } = temporary;
    const clock = new HandClock(NOW);
    const rules = { caps: { daily: '1000000', total: '70000' } };
    await db.query(
      `insert into account (id, name, rules, calendar, created_at, updated_at)
       values ('acme', 'Acme', $1, $2, '2026-01-01', '2026-01-01')`,
      [rules, { time_zone: 'Asia/Tehran', month: 'jalali' }],
    );
    const keys = createKeyService({ db, clock, randomBytes });
    const created = { accountId: 'acme', name: 'prod-web', rules: { caps: { monthly: '14000' } } };
    const { key } = await keys.create(created, 'test');
    await db.query(
      `insert into usage_daily (account_id, day, key_id, model, requests, input_tokens, output_tokens, cost)
       values ('acme', '2026-10-10', $1, 'm', 1, 1, 1, 7000000000)`,
      [key.id],
    );
    const found = await forecastOf(db, clock, 'acme');
    expect(found.map(({ what, period, endsAt: at }) => [what, period, at === null ? null : (at - NOW) / DAY])).toEqual([
      ['balance', null, 0],
      ['account', 'daily', null],
      ['account', 'total', 10],
      ['key', 'monthly', 2],
    ]);
    expect(found.map(({ sentence }) => sentence.fa)).toEqual([
      'موجودی تمام شده است.',
      'با این روند سقف روزانهٔ حساب تمام نمی‌شود.',
      'با این روند سقف کل حساب ۲۸ مهر تمام می‌شود.',
      'با این روند سقف ماهانهٔ کلید «\u2068prod-web\u2069» ۲۰ مهر تمام می‌شود.',
    ]);
    expect(found.map(({ sentence }) => sentence.en)).toEqual([
      'Nothing is left of the balance.',
      'At this pace the daily cap of the account does not run out.',
      'At this pace the total cap of the account runs out on 28 Mehr.',
      'At this pace the monthly cap of the key ‘\u2068prod-web\u2069’ runs out on 20 Mehr.',
    ]);
  });
});
