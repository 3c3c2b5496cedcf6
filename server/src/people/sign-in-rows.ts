/** Statements around signing in: counted attempts, known networks, tickets, passkeys. */
import type { JsonObject } from '../core/json.ts';
import { column, columnsOf, command, orNull, type RowOf, statement } from '../platform/db/index.ts';

export const COUNTED_ATTEMPTS = statement(
  { bucket: column.text, count: column.int },
  `select bucket, count from attempt_count
    where (bucket, span_start) in (select * from unnest($1::text[], $2::text[]::timestamptz[]))`,
);
/** No row comes back when the limit is used up. */
export const COUNT_ATTEMPT = statement(
  { count: column.int },
  `insert into attempt_count (bucket, span_start, count) values ($1, $2, 1)
   on conflict (bucket, span_start) do update set count = attempt_count.count + 1 where attempt_count.count < $3
   returning count`,
  { name: 'count-attempt' },
);
export const TAKE_BACK_ATTEMPT = command(
  'update attempt_count set count = count - 1 where bucket = $1 and span_start = $2 and count > 0',
);
/** The name of the bucket ends with the length of its span. */
export const FORGET_OLD_ATTEMPTS = command(
  `delete from attempt_count
    where span_start + substring(bucket from '[0-9]+$')::bigint * interval '1 millisecond' < $1`,
);

export const KNOWN_NETWORK = statement(
  {},
  `select from known_network k join identity i on i.person_id = k.person_id
    where i.kind = $1 and i.value = $2 and k.network = $3 and k.last_at > $4`,
);
export const REMEMBER_NETWORK = command(
  `insert into known_network (person_id, network, last_at) values ($1, $2, $3)
   on conflict (person_id, network) do update set last_at = excluded.last_at`,
);
export const KEEP_LAST_NETWORKS = command(
  `delete from known_network where person_id = $1 and network not in (
     select network from known_network where person_id = $1 order by last_at desc, network limit $2::int)`,
);
export const FORGET_NETWORKS = command('delete from known_network where person_id = $1');
export const FORGET_OLD_NETWORKS = command('delete from known_network where last_at < $1');

export const INSERT_SIGN_IN_TICKET = command(
  'insert into sign_in_ticket (digest, kind, person_id, detail, expires_at) values ($1, $2, $3, $4::jsonb, $5)',
);
const signInTicketRow = { personId: orNull(column.text), detail: column.jsonOf<JsonObject>() };
export type SignInTicket = RowOf<typeof signInTicketRow>;
export const TRY_SIGN_IN_TICKET = statement(
  signInTicketRow,
  `update sign_in_ticket set tries = tries + 1
    where digest = $1 and kind = $2 and expires_at > $3 and tries < $4
    returning ${columnsOf(signInTicketRow)}`,
);
export const SPEND_SIGN_IN_TICKET = statement(
  { kind: column.text },
  'delete from sign_in_ticket where digest = $1 returning kind',
);
export const FORGET_BEGUN_TICKETS = command(
  "delete from sign_in_ticket where person_id = $1 and kind <> 'end-sessions'",
);
export const FORGET_OLD_TICKETS = command('delete from sign_in_ticket where expires_at < $1');

const passkeyRow = {
  id: column.text,
  personId: column.text,
  name: column.text,
  createdAt: column.timestamp,
  usedAt: orNull(column.timestamp),
};
export type Passkey = RowOf<typeof passkeyRow>;
export const PASSKEYS_OF_PERSON = statement(
  passkeyRow,
  `select ${columnsOf(passkeyRow)} from passkey where person_id = $1 order by created_at, id`,
);
export const INSERT_PASSKEY = command(
  `insert into passkey (id, person_id, name, public_key, counter, transports, created_at)
   values ($1, $2, $3, $4, $5, $6::jsonb, $7)`,
);
export const DELETE_PASSKEY = statement(
  { id: column.text },
  'delete from passkey where person_id = $1 and id = $2 returning id',
);
/** A passkey of a person who is not blocked. */
export const USABLE_PASSKEY = statement(
  { person_id: column.text, public_key: column.bytes, counter: column.bigint },
  `select k.person_id, k.public_key, k.counter from passkey k join person p on p.id = k.person_id
    where k.id = $1 and p.blocked_at is null`,
);
export const NOTE_PASSKEY_USE = command('update passkey set counter = $2, used_at = $3 where id = $1');
