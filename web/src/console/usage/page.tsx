import type { listKeys } from '@dargah/api/console/keys.ts';
import type { getUsageBreakdown, getUsageSeries } from '@dargah/api/console/usage.ts';
import { useAddress } from '../../address.ts';
import { useRead } from '../../api/read.ts';
import { Filter, FilterDay } from '../../parts/filter.tsx';
import { Empty, PageHead } from '../../parts/page-frame.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { wordOf } from '../../words/dictionary.tsx';
import { useRequestWords } from '../../words/request-words.ts';
import { useShownKeyName } from '../key-name.ts';
import { Breakdown } from './breakdown.tsx';
import { usePeriod } from './period.ts';
import { Totals } from './totals.tsx';
import { useWords } from './words.ts';

const SPANS = ['1', '7', '30', 'month', '90', '365'] as const;

export default function UsagePage() {
  const words = useWords();
  const address = useAddress();
  const { span, endsNow, query } = usePeriod();
  const series = useRead<typeof getUsageSeries>('GET /api/console/usage/series', { query }, { keep: true });
  const points = series.data?.data ?? [];
  const total = series.data?.total;
  return (
    <>
      <PageHead title={words.title} lead={words.lead}>
        <Segments
          label={words.period}
          value={span ?? ''}
          onChange={(next) => address.set({ days: next, from: undefined, to: undefined })}
          options={SPANS.map((id) => [id, words.periods[id]] as const)}
        />
      </PageHead>
      <Filters />
      {series.error !== null && series.data === undefined ? (
        <Trouble error={series.error} again={() => void series.refetch()} />
      ) : total !== undefined && total.requests === 0 ? (
        <section className="panel">
          <Empty title={words.empty} text={words.emptyText} />
        </section>
      ) : (
        <div className="stack">
          <Totals total={total} points={points} interval={query.interval} endsNow={endsNow} />
          <Breakdown query={query} />
        </div>
      )}
    </>
  );
}

function Filters() {
  const words = useWords();
  const names = useRequestWords();
  const keys = useRead<typeof listKeys>('GET /api/console/keys', { query: {} }).data?.data ?? [];
  const shownName = useShownKeyName();
  const models = useGroups('model');
  const endpoints = useGroups('endpoint');
  const users = useGroups('user');
  return (
    <div className="filters">
      <Filter name="key" label={words.filterKey} options={keys.map((key) => [key.id, shownName(key)] as const)} />
      <Filter name="model" label={words.filterModel} options={models.map(({ value }) => [value, value] as const)} />
      <Filter
        name="endpoint"
        label={words.groups.endpoint}
        options={endpoints.map(({ value }) => [value, wordOf(names.endpoints, value) ?? value] as const)}
      />
      <Filter name="user" label={words.groups.user} options={users.map(({ value }) => [value, value] as const)} />
      <FilterDay name="from" label={words.fromDay} />
      <FilterDay name="to" label={words.toDay} />
    </div>
  );
}

/** What there is to filter by, as the last month knows it. */
function useGroups(by: 'model' | 'endpoint' | 'user') {
  const found = useRead<typeof getUsageBreakdown>('GET /api/console/usage/breakdown', { query: { by } }).data?.data;
  return (found ?? []).filter(({ value }) => value !== '');
}
