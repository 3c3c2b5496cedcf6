import type { listKeys } from '@dargah/api/console/keys.ts';
import type { getUsageBreakdown, getUsageSeries } from '@dargah/api/console/usage.ts';
import { useAddress } from '../../address.ts';
import { useRead } from '../../api/read.ts';
import { Filter, FilterDay } from '../../parts/filter.tsx';
import { Empty, PageHead } from '../../parts/page-frame.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useRequestTexts } from '../../texts/request-texts.ts';
import { useShownKeyName } from '../key-name.ts';
import { Breakdown } from './breakdown.tsx';
import { Caches } from './caches.tsx';
import { Files } from './files.tsx';
import { useMemberName } from './member-name.ts';
import { usePeriod } from './period.ts';
import { useTexts } from './texts.ts';
import { Totals } from './totals.tsx';

const SPANS = ['1', '7', '30', 'month', '90', '365'] as const;

export default function UsagePage() {
  const texts = useTexts();
  const address = useAddress();
  const { span, endsNow, query } = usePeriod();
  const series = useRead<typeof getUsageSeries>('GET /api/console/usage/series', { query }, { keep: true });
  const points = series.data?.data ?? [];
  const total = series.data?.total;
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        <Segments
          label={texts.period}
          value={span ?? ''}
          onChange={(next) => address.set({ days: next, from: undefined, to: undefined })}
          options={SPANS.map((id) => [id, texts.periods[id]] as const)}
        />
        <Files query={query} />
      </PageHead>
      <Filters />
      {series.error !== null && series.data === undefined ? (
        <Trouble error={series.error} again={() => void series.refetch()} />
      ) : total !== undefined && total.requests === 0 ? (
        <section className="panel">
          <Empty title={texts.empty} text={texts.emptyText} />
        </section>
      ) : (
        <div className="stack">
          <Totals total={total} points={points} interval={query.interval} endsNow={endsNow} />
          <Caches total={total} />
          <Breakdown query={query} />
        </div>
      )}
    </>
  );
}

function Filters() {
  const texts = useTexts();
  const names = useRequestTexts();
  const keys = useRead<typeof listKeys>('GET /api/console/keys', { query: {} }).data?.data ?? [];
  const shownName = useShownKeyName();
  const models = useGroups('model');
  const endpoints = useGroups('endpoint');
  const users = useGroups('user');
  const tags = useGroups('tag');
  const members = useGroups('member');
  const memberName = useMemberName();
  return (
    <div className="filters">
      <Filter name="key" label={texts.filterKey} options={keys.map((key) => [key.id, shownName(key)] as const)} />
      {members.length > 1 && (
        <Filter
          name="member"
          label={texts.groups.member}
          options={members.map(({ value, name }) => [value, memberName(value, name)] as const)}
        />
      )}
      <Filter name="model" label={texts.filterModel} options={models.map(({ value }) => [value, value] as const)} />
      <Filter
        name="endpoint"
        label={texts.groups.endpoint}
        options={endpoints.map(({ value }) => [value, labelOf(names.endpoints, value) ?? value] as const)}
      />
      <Filter name="user" label={texts.groups.user} options={users.map(({ value }) => [value, value] as const)} />
      {tags.length > 0 && (
        <Filter name="tag" label={texts.groups.tag} options={tags.map(({ value }) => [value, value] as const)} />
      )}
      <FilterDay name="from" label={texts.fromDay} />
      <FilterDay name="to" label={texts.toDay} />
    </div>
  );
}

/** What there is to filter by, as the last month knows it. */
function useGroups(by: 'model' | 'member' | 'endpoint' | 'user' | 'tag') {
  const found = useRead<typeof getUsageBreakdown>('GET /api/console/usage/breakdown', { query: { by } }).data?.data;
  return (found ?? []).filter(({ value }) => value !== '');
}
