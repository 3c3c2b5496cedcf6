/** Pictures and their parts in the database. */
import { column, command, ROWS_PER_STATEMENT, statement } from '../platform/db/index.ts';

export const DRAWN_PICTURE = statement(
  { type: column.text, bytes: column.float },
  'select type, bytes::float8 as bytes from drawn_picture where id = $1 and expires_at > to_timestamp($2::float8 / 1000)',
);

export const DELETE_EXPIRED_PICTURES = statement(
  { id: column.text },
  `delete from drawn_picture where id in (
     select id from drawn_picture where expires_at <= to_timestamp($1::float8 / 1000) limit ${ROWS_PER_STATEMENT})
   returning id`,
);

export const DELETE_PICTURES_OF_ACCOUNT = command('delete from drawn_picture where account_id = $1');

export const DRAWN_PICTURE_PART = statement(
  { data: column.bytes },
  'select data from drawn_picture_part where picture_id = $1 and part = $2',
);

export const DELETE_PICTURES_BEYOND = command(
  `delete from drawn_picture where id in (
     select id from (select id, sum(bytes) over (order by created_at desc, id) as total
                       from drawn_picture where account_id = $1) placed where total > $2)`,
);

export const INSERT_PICTURE = command(
  `insert into drawn_picture (id, account_id, type, bytes, created_at, expires_at)
   values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000), to_timestamp($6::float8 / 1000))`,
);

export const INSERT_PICTURE_PART = command(
  'insert into drawn_picture_part (picture_id, part, data) values ($1, $2, $3)',
);
