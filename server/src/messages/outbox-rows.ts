/** What the sandbox messenger keeps. */

import { column, command, orNull, type RowOf, statement } from '../platform/db/index.ts';
import type { MessageChannel } from './message.ts';

export const FORGET_KEPT_MESSAGES = command('delete from outbox_message where at < $1');

export const KEEP_SANDBOX_MESSAGE = command(
  'insert into outbox_message (id, at, channel, recipient, kind, subject, text) values ($1, $2, $3, $4, $5, $6, $7)',
);

const messageRow = {
  id: column.text,
  at: column.timestamp,
  channel: column.textOf<MessageChannel>(),
  to: column.text,
  kind: column.text,
  subject: orNull(column.text),
  text: column.text,
};

export type OutboxMessage = RowOf<typeof messageRow>;

export const KEPT_MESSAGES = statement(
  messageRow,
  `select id, at, channel, recipient as "to", kind, subject, text from outbox_message
    where ($1::timestamptz is null or (at, id) < ($1, $2)) order by at desc, id desc limit $3`,
);
