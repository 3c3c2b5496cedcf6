import { HOUR_MS } from './time-spans.ts';

/** The zone of the service itself: of its reports by day, and of times that name no zone. */
export const HOME_ZONE = 'Asia/Tehran';
/** How far it is ahead, all year: Iran no longer changes its clocks. For sums over stored hours, which a changing offset would shift. */
export const HOME_OFFSET_MS = 3.5 * HOUR_MS;
