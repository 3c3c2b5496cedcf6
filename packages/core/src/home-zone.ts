import { HOUR_MS } from './time-spans.ts';

/** The zone of the service itself: of its reports by day, and of times that name no zone. */
export const HOME_ZONE = 'Asia/Tehran';
/**
 * The zone's fixed offset from UTC: Iran no longer changes its clocks. Sums over stored hours rely on it, because a
 * changing offset would shift them.
 */
export const HOME_OFFSET_MS = 3.5 * HOUR_MS;
