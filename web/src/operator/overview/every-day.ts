/** A report by day leaves out the days without requests; here each of its days has a row, so that the last one is today. */
import { addDays, type Day, dayAt } from '../../calendar.ts';

interface Row {
  value: string;
  requests: number;
  /** Amounts are exact toman. */
  revenue: string;
  provider_cost: string;
  waste: string;
  /** Null when too much of the cost is unknown for a single figure. */
  profit: string | null;
  profit_low: string;
  profit_high: string;
  margin_known: number | null;
  unknown_cost: number;
  revenue_unknown_cost: string;
}

interface Report {
  from: string;
  to: string;
  data: readonly Row[];
}

export function everyDay({ from, to, data }: Report, timeZone: string): Row[] {
  const known = new Map(data.map((row) => [row.value, row]));
  // The end itself is not in the report.
  const last = dayAt(Date.parse(to) - 1, timeZone);
  const days: Row[] = [];
  for (let day = dayAt(from, timeZone); day <= last; day = addDays(day, 1)) days.push(known.get(day) ?? nothingOn(day));
  return days;
}

function nothingOn(day: Day): Row {
  const none = { provider_cost: '0', waste: '0', profit: '0', profit_low: '0', profit_high: '0' };
  const known = { margin_known: null, unknown_cost: 0, revenue_unknown_cost: '0' };
  return { value: day, requests: 0, revenue: '0', ...none, ...known };
}
