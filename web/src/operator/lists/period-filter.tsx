/** The time of a list: a span until now, or from one day to another. */
import { useAddress } from '../../address.ts';
import { Filter, FilterDay } from '../../parts/filter.tsx';
import { useListTexts } from './texts.ts';

export const PERIOD_NAMES = ['period', 'from', 'to'];

export function PeriodFilter({ usual }: { usual: '24h' | '7d' | '31d' | 'all' }) {
  const texts = useListTexts();
  const address = useAddress();
  const isByDays = address.get('from') !== undefined || address.get('to') !== undefined;
  const options = (Object.keys(texts.periods) as (keyof typeof texts.periods)[])
    .filter((id) => id !== usual)
    .map((id) => [id, texts.periods[id]] as const);
  return (
    <>
      {!isByDays && <Filter name="period" label={texts.period} options={options} unset={texts.periods[usual]} />}
      <FilterDay name="from" label={texts.fromDay} />
      <FilterDay name="to" label={texts.toDay} />
    </>
  );
}
