export {
  createUptimeReports,
  type Day,
  type ModelUptime,
  type RouteDay,
  type RouteHistory,
  type Share,
  type UptimeHistory,
  type UptimeOverview,
  type UptimeReports,
} from './reports.ts';
export { createUptime, type Uptime } from './uptime.ts';
