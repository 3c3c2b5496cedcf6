/** The words of notices: names stay whole between Persian words and numbers, and English counts as people count. */
import { describe, expect, it } from 'vitest';
import { EVENTS, type EventName, noticeMessage } from '../../src/notices/events.ts';

const NAMED = {
  name: 'dev-reza',
  subject: '1-why?',
  model: 'openai/gpt-5',
  url: 'https://example.com/hook',
  target: 'chat-a:up-model',
  provider: 'chat-a',
  order: 'ord_1',
  problem: 'timeout',
  gateway: 'sandbox',
  payment: 'pay_1',
  from: '2026-12-01T00:00:00Z',
  since: '2026-12-01T00:00:00Z',
  percent: 80,
  spent: '394.5',
  limit: '400',
  days: 1,
  balance: '1000',
  days_left: 1,
};

describe('a notice', () => {
  it('keeps every name between quotation marks whole, whatever stands beside it', () => {
    for (const event of Object.keys(EVENTS) as EventName[])
      expect(noticeMessage(event, NAMED).text.fa, event).not.toMatch(/«[^\u2068]|[^\u2069]»/);
    expect(noticeMessage('cap.reached', NAMED).text.fa).toBe(
      '«\u2068dev-reza\u2069» ۸۰٪ سقف خود را خرج کرده است (۳۹۴٫۵ از ۴۰۰ تومان).',
    );
  });

  it('counts one day as one day', () => {
    expect(noticeMessage('key.expiring', NAMED).text.en).toBe('The key “dev-reza” stops working within 1 day.');
    expect(noticeMessage('balance.low', NAMED).text.en).toBe(
      'The wallet holds 1,000 toman, which lasts 1 day at this pace.',
    );
    expect(noticeMessage('key.expiring', { ...NAMED, days: 7 }).text.en).toContain('within 7 days.');
  });
});

describe('a rule in a sentence', () => {
  it('says only the terms that it has', () => {
    const { sentence } = EVENTS['balance.low'];
    expect(sentence({ below: '50000', days_left: 3 }).en).toBe(
      'when the balance falls below 50,000 toman or lasts less than 3 days at this pace',
    );
    expect(sentence({ below: '50000', days_left: null }).fa).toBe('وقتی موجودی از ۵۰٬۰۰۰ تومان کمتر شود');
    expect(sentence({ below: null, days_left: 3 }).fa).toBe('وقتی موجودی با این آهنگ به ۳ روز نرسد');
  });

  it('lists in Persian without a comma before «و»', () => {
    expect(EVENTS['cap.reached'].sentence({ percents: [50, 80, 100] }).fa).toBe(
      'وقتی مصرف به ۵۰، ۸۰ و ۱۰۰ درصد سقف برسد',
    );
  });
});
