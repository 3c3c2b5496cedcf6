/** The operator's report by day, where some days had no request. */
import { expect, it } from 'vitest';
import { everyDay } from '../../src/operator/overview/every-day.ts';

const row = (value: string) => ({
  value,
  requests: 3,
  revenue: '30.5',
  provider_cost: '20',
  waste: '0',
  profit: '10.5',
  profit_low: '10.5',
  profit_high: '10.5',
  margin_known: 0.34,
  unknown_cost: 0,
  revenue_unknown_cost: '0',
});
const ZONE = 'Asia/Tehran';

it('has a row for each day, and nothing on those without requests', () => {
  const report = { from: '2026-11-12T20:30:00Z', to: '2026-11-16T08:00:00Z', data: [row('2026-11-14')] };
  const days = everyDay(report, ZONE);
  expect(days.map(({ value, requests }) => [value, requests])).toEqual([
    ['2026-11-13', 0],
    ['2026-11-14', 3],
    ['2026-11-15', 0],
    ['2026-11-16', 0],
  ]);
  expect(days[1]).toEqual(row('2026-11-14'));
  expect(days.at(-1)).toMatchObject({ revenue: '0', provider_cost: '0', profit: '0' });
});

it('ends today as the zone of the report counts, not as the world does', () => {
  const data = [row('2026-11-15')];
  const lastDay = (to: string) => everyDay({ from: '2026-11-14T20:30:00Z', to, data }, ZONE).at(-1);
  // Half past eight in the evening of Greenwich is midnight in Tehran.
  expect(lastDay('2026-11-15T20:29:00Z')).toEqual(row('2026-11-15'));
  expect(lastDay('2026-11-15T20:31:00Z')).toMatchObject({ value: '2026-11-16', requests: 0 });
});

it('does not hold a day that begins where the report ends', () => {
  const report = { from: '2026-11-14T20:30:00Z', to: '2026-11-15T20:30:00Z', data: [] };
  expect(everyDay(report, ZONE).map(({ value }) => value)).toEqual(['2026-11-15']);
});
