/** Every statement on notes of staff about an account. */
import { column, columnsOf, command, orNull, type RowOf, readAs, statement } from '../platform/db/index.ts';

const noteRow = {
  id: column.text,
  accountId: column.text,
  text: column.text,
  requestId: orNull(column.text),
  pinned: column.boolean,
  /** The actor, as the audit log names it. */
  author: column.text,
  authorName: readAs('p.name', orNull(column.text)),
  createdAt: column.timestamp,
  withdrawnAt: orNull(column.timestamp),
};
export type AccountNote = RowOf<typeof noteRow>;

const MAX_PINNED = 20;
const NOTE = `select ${columnsOf(noteRow, 'n')} from account_note n left join person p on n.author = 'staff:' || p.id`;

export const ACCOUNT_NOTE_BY_ID = statement(noteRow, `${NOTE} where n.account_id = $1 and n.id = $2`);
export const ACCOUNT_NOTES = statement(
  noteRow,
  `${NOTE}
    where n.account_id = $1 and ($2::timestamptz is null or (n.created_at, n.id) < ($2, $3))
    order by n.created_at desc, n.id desc limit $4`,
);
export const PINNED_NOTES = statement(
  noteRow,
  `${NOTE} where n.account_id = $1 and n.pinned order by n.created_at desc, n.id desc limit ${MAX_PINNED}`,
);
export const INSERT_NOTE = command(
  `insert into account_note (id, account_id, text, request_id, pinned, author, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);
export const WITHDRAW_NOTE = command(
  'update account_note set withdrawn_at = $2, withdrawn_by = $3, pinned = false where id = $1',
);
export const PIN_NOTE = command('update account_note set pinned = $2 where id = $1');
