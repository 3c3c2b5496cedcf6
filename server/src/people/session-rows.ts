/** Every statement on `session`. */
import { column, columnsOf, command, orNull, readAs, statement } from '../platform/db/index.ts';

const sessionRow = {
  id: column.text,
  personId: column.text,
  method: column.text,
  secondFactor: column.boolean,
  address: orNull(column.text),
  agent: orNull(column.text),
  createdAt: column.timestamp,
  seenAt: column.timestamp,
  expiresAt: column.timestamp,
  viewAccount: orNull(column.text),
  viewUntil: orNull(column.timestamp),
  provedAt: readAs('greatest(s.created_at, s.proved_at)', column.timestamp),
  /** Sessions of staff end soon, also those that began before the person became staff. */
  isStaff: readAs('exists (select 1 from staff where staff.person_id = s.person_id)', column.boolean),
};
const foundRow = {
  ...sessionRow,
  /** Only the operator of the first start signs in by name, and has no password of their own until they choose one. */
  passwordOwed: readAs(
    `(p.password_hash is null and exists (select from identity i where i.person_id = p.id and i.kind = 'name'))`,
    column.boolean,
  ),
};

export const FIND_SESSION = statement(
  foundRow,
  `select ${columnsOf(foundRow, 's')}
     from session s join person p on p.id = s.person_id
    where s.digest = $1 and s.expires_at > $2 and p.blocked_at is null`,
  { name: 'find-session' },
);
export const SESSIONS_OF_PERSON = statement(
  sessionRow,
  `select ${columnsOf(sessionRow, 's')} from session s where person_id = $1 and expires_at > $2 order by seen_at desc limit 200`,
);
export const INSERT_SESSION = command(
  `insert into session (id, digest, person_id, method, second_factor, address, agent, created_at, seen_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9)`,
);
export const RENEW_SESSION = command('update session set seen_at = $2, expires_at = $3 where id = $1');
export const MARK_PROVED = command('update session set proved_at = $2 where id = $1');
export const MARK_SECOND_FACTOR = command('update session set second_factor = true where id = $1');
export const SET_VIEW = command('update session set view_account = $2, view_until = $3 where id = $1');
export const END_VIEWS = command('update session set view_account = null, view_until = null where person_id = $1');
export const END_SESSION = statement(
  { id: column.text },
  'delete from session where person_id = $1 and id = $2 returning id',
);
/** Ends all sessions of a person except one. */
export const END_OTHER_SESSIONS = statement(
  { id: column.text },
  'delete from session where person_id = $1 and ($2::text is null or id <> $2) returning id',
);
export const END_SESSION_OF_COOKIE = command('delete from session where digest = $1');
export const FORGET_EXPIRED_SESSIONS = command('delete from session where expires_at < $1');
