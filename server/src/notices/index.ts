export type { Channel, Terms } from './event-kind.ts';
export { EVENTS, type EventName, isEventName, noticeMessage } from './events.ts';
export { forecastOf } from './forecast.ts';
export {
  type AlertRule,
  createNotices,
  type Notice,
  type Notices,
  type NoticeToRaise,
  type Recipients,
} from './notices.ts';
export { type MessageSender, NoticeOutbox } from './outbox.ts';
export { endSentence, endsAt, paceOf } from './pace.ts';
export { type StaffFacts, StaffWatch } from './staff-watch.ts';
export { type AlertDelivery, type AlertTarget, type AlertTargets, createTargets } from './targets.ts';
export { Watch } from './watch/watch.ts';
