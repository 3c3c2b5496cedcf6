/** Statements on conversations and their items. */
import { column, command, orNull, type RowOf, statement } from '../platform/db/index.ts';

const conversationRow = {
  id: column.text,
  metadata: column.text,
  created_at: column.timestamp,
};

export type ConversationRow = RowOf<typeof conversationRow>;

export const INSERT_CONVERSATION = command(
  `insert into conversation (id, account_id, metadata, created_at, expires_at)
   values ($1, $2, $3, to_timestamp($4 / 1000.0), to_timestamp($5 / 1000.0))`,
);

export const CONVERSATION_BY_ID = statement(
  conversationRow,
  `select id, metadata, created_at from conversation
    where id = $1 and account_id = $2 and expires_at > to_timestamp($3 / 1000.0)`,
);

export const UPDATE_CONVERSATION = statement(
  conversationRow,
  `update conversation set metadata = $3, expires_at = to_timestamp($4 / 1000.0)
    where id = $1 and account_id = $2 returning id, metadata, created_at`,
);

export const DELETE_CONVERSATION = statement(
  { id: column.text },
  'delete from conversation where id = $1 and account_id = $2 returning id',
);

export const SIZE_OF_ITEMS = statement(
  { bytes: column.float },
  `select (select coalesce(sum(octet_length(i.item)), 0)::float8 from conversation_item i
            where i.conversation_id = c.id and ($4::text is null or i.id = $4)) as bytes
     from conversation c
    where c.id = $1 and c.account_id = $2 and c.expires_at > to_timestamp($3 / 1000.0)`,
);

export const ITEMS_OF_CONVERSATION = statement(
  { item: column.text },
  `select item from conversation_item
    where conversation_id = $1 and ($2::text is null or id = $2) order by place`,
);

export const PROLONG_CONVERSATION = statement(
  { id: column.text },
  `update conversation set expires_at = to_timestamp($3 / 1000.0) where id = $1 and account_id = $2 returning id`,
);

export const DELETE_CONVERSATION_ITEM = statement(
  { id: column.text },
  `with gone as (
     delete from conversation_item i using conversation c
      where i.conversation_id = c.id and c.id = $1 and c.account_id = $2 and i.id = $3
     returning length(i.item) as characters)
   update conversation set characters = conversation.characters - gone.characters
     from gone where conversation.id = $1 returning conversation.id`,
);

export const INSERT_CONVERSATION_ITEMS = command(
  `with added as (
     insert into conversation_item (conversation_id, id, item)
     select $1, id, item from unnest($2::text[], $3::text[]) with ordinality as given (id, item, at) order by at
     on conflict (conversation_id, id) do nothing returning length(item) as characters)
   update conversation set characters = characters + (select coalesce(sum(added.characters), 0) from added)
    where id = $1`,
);

export const CHARACTERS_OF_ACCOUNT = statement(
  { own: column.float, all: orNull(column.float) },
  `select coalesce(sum(characters) filter (where id = $2), 0)::float8 as own, sum(characters)::float8 as all
     from conversation where account_id = $1`,
);
