/** Periods of the operator's figures: whole days of the service, today among them. */
import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import { addDays, dayAt, startOf } from '../calendar.ts';

/** The moment at which the first of so many days began. */
export function startOfLastDays(count: number): string {
  return startOf(addDays(dayAt(Date.now(), HOME_ZONE), 1 - count), HOME_ZONE).toISOString();
}
