/** Every statement on `saved_view`. */
import type { StaffList } from '@dargah/core/staff-lists.ts';
import { column, command, type RowOf, statement } from '../platform/db/index.ts';

const viewRow = {
  id: column.text,
  list: column.textOf<StaffList>(),
  name: column.text,
  query: column.text,
  createdAt: column.timestamp,
};

export type SavedView = RowOf<typeof viewRow>;

export const VIEWS_OF_OWNER = statement(
  viewRow,
  `select id, list, name, query, created_at as "createdAt" from saved_view where owner = $1 order by created_at, id`,
);

export const COUNT_VIEWS = statement({ n: column.bigint }, 'select count(*) as n from saved_view where owner = $1');

export const INSERT_VIEW = command(
  'insert into saved_view (id, owner, list, name, query, created_at) values ($1, $2, $3, $4, $5, $6)',
);

export const DELETE_VIEW = statement(
  { id: column.text },
  'delete from saved_view where id = $1 and owner = $2 returning id',
);
