export { DUE } from './delivery-rows.ts';
export type { Channel, Terms } from './event-kind.ts';
export { EVENTS, type EventName, isEventName, noticeMessage } from './events.ts';
export { forecastOf } from './forecast.ts';
export type { MessageSender } from './message-sender.ts';
export {
  type AlertRule,
  createNotices,
  type Notice,
  type Notices,
  type NoticeToRaise,
  type Recipients,
} from './notices.ts';
export { DatabaseWatch, type DatabaseWatchOptions } from './outages/database-watch.ts';
export type { Outage } from './outages/outage-rows.ts';
export { OutageWatch } from './outages/outage-watch.ts';
export { createOutages, type Outages } from './outages/outages.ts';
export { type OwnFacts, ownConditions } from './outages/own-conditions.ts';
export { linkOfOutage, outageData } from './outages/tell-outages.ts';
export { NoticeOutbox } from './outbox.ts';
export { endSentence, endsAt, paceOf } from './pace.ts';
export { createSettledEvents, SettledOutbox } from './settled-events.ts';
export { channelsOf, createStaffAlerts, type StaffAlerts, type StaffPerson } from './staff/staff-alerts.ts';
export { StaffOutbox } from './staff/staff-outbox.ts';
export { createStaffTargets, type StaffTargets } from './staff/staff-targets.ts';
export { type StaffFacts, StaffWatch } from './staff-watch.ts';
export type { AlertTarget } from './target-rows.ts';
export { type AlertDelivery, type AlertTargets, createTargets } from './targets.ts';
export { Watch } from './watch/watch.ts';
