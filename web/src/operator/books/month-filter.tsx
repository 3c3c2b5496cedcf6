/** A month or season of the books, chosen by name. */
import type { listPeriods } from '@dargah/api/admin/month-end.ts';
import { useRead } from '../../api/read.ts';
import { Filter } from '../../parts/filter.tsx';
import { useSpanNames } from './spans.ts';

const SHOWN = 24;

function useMonths() {
  return useRead<typeof listPeriods>('GET /api/admin/periods', { query: { limit: SHOWN } }).data?.data ?? [];
}

export function MonthFilter({ label }: { label: string }) {
  const names = useSpanNames();
  return (
    <Filter name="month" label={label} options={useMonths().map((month) => [month.id, names.name(month)] as const)} />
  );
}

export function SeasonFilter({ label }: { label: string }) {
  const names = useSpanNames();
  const months = useMonths();
  const seasons = new Map<string, string>();
  for (const { id, first_day } of months) {
    const [year = '', month = '1'] = id.split('-');
    const season = `${year}-q${Math.ceil(Number(month) / 3)}`;
    if (!seasons.has(season)) seasons.set(season, names.name({ id: season, first_day }));
  }
  return <Filter name="season" label={label} options={[...seasons]} />;
}
