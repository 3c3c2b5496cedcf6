/** Spend of the last days, with its average. */

import type { getUsageSeries } from '@dargah/api/console/usage.ts';
import { firstDayOf, OVERVIEW_DAYS } from '@dargah/core/first-reads.ts';
import { useState } from 'react';
import { useRead } from '../../api/read.ts';
import { roughly, useFormat } from '../../format.ts';
import { Chart } from '../../parts/chart.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useShared } from '../../texts/shared.ts';
import { useTexts } from './texts.ts';

/** Days of the account; the last one is today. */
export function useDailySeries(days = OVERVIEW_DAYS) {
  const query = { interval: 'day' as const, from: firstDayOf(days, Date.now()) };
  return useRead<typeof getUsageSeries>('GET /api/console/usage/series', { query }, { keep: true }).data;
}

export function DailyChart() {
  const texts = useTexts();
  const shared = useShared();
  const format = useFormat();
  const [days, setDays] = useState<'7' | '30'>('30');
  const series = useDailySeries(Number(days));
  const points = series?.data ?? [];
  const values = points.map(({ cost }) => roughly(cost));
  const average = averageOf(values);
  return (
    <div className="pad stack gap-m">
      <div className="row between">
        <h2>
          {texts.daily} <span className="unit">{shared.toman}</span>
        </h2>
        <Segments
          label={texts.daily}
          value={days}
          onChange={setDays}
          options={[
            ['7', texts.week],
            ['30', texts.thirty],
          ]}
        />
      </div>
      <Chart
        name={texts.chartName}
        loading={series === undefined}
        fileName="daily-spend"
        kind="bars"
        points={points.map(({ start }) => start)}
        label={(at) => format.monthDay(at)}
        unit={shared.toman}
        series={[{ id: 'cost', name: texts.spend, values, exact: points.map(({ cost }) => cost) }]}
        show={(value) => format.number(value, value < 10 ? 2 : 0)}
        showExact={format.money}
        lastIsOpen
        {...(average > 0
          ? { reference: { value: average, name: `${texts.average} ${format.number(average, average < 10 ? 2 : 0)}` } }
          : {})}
      />
    </div>
  );
}

/** Counts only whole days since the first with any spend: earlier days say nothing about the pace. */
function averageOf(days: readonly number[]): number {
  const whole = days.slice(
    days.findIndex((value) => value > 0),
    -1,
  );
  return whole.length === 0 || days.every((value) => value === 0)
    ? 0
    : whole.reduce((sum, value) => sum + value, 0) / whole.length;
}
