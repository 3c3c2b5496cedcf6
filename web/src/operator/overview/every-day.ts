/** A report by day leaves out the days without requests; here each of its days has a row, so that the last one is today. */
import { addDays, type Day, dayAt } from '../../calendar.ts';

interface Row {
  value: string;
  requests: number;
  /** Amounts are exact toman. */
  revenue: string;
  provider_cost: string;
  profit: string;
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
  return { value: day, requests: 0, revenue: '0', provider_cost: '0', profit: '0' };
}
