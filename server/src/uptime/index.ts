export {
  type Course,
  createUptimeReports,
  type Day,
  type ModelUptime,
  type RouteCourse,
  type Share,
  type UptimeOverview,
  type UptimeReports,
} from './reports.ts';
export { createUptime, type Uptime } from './uptime.ts';
