export {
  type CarrierChange,
  type CarrierDirectory,
  createCarrierDirectory,
} from './carrier-directory.ts';
export { CarrierReach } from './carrier-reach.ts';
export {
  CarryFailure,
  type MessageCarrier,
  type MessageChannel,
  type Messenger,
  type OutgoingMessage,
} from './message.ts';
export { createMessenger, createSandboxMessenger, SANDBOX_KEPT_MS } from './messenger.ts';
export { listOutbox } from './outbox.ts';
export type { OutboxMessage } from './outbox-rows.ts';
export { createKavenegar, createSmsIr, type PostText } from './sms.ts';
export { createSmtp } from './smtp.ts';
