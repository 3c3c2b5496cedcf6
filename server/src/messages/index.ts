export { type Carrier, CarryFailure, type Channel, type Message, type Messenger } from './message.ts';
export { createMessenger, createSandboxMessenger } from './messenger.ts';
export { listOutbox, type OutboxMessage } from './outbox.ts';
export { createKavenegar, createSmsIr, type PostText } from './sms.ts';
export { createSmtp } from './smtp.ts';
