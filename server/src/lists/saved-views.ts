/** Views of lists that people saved: the filters of an address under a name, each person's own. */
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { noSuch } from '../keys/index.ts';
import { type Database, lockUntilCommit } from '../platform/db/index.ts';
import { listReasons } from './reasons.ts';

export interface SavedView {
  id: string;
  list: string;
  name: string;
  query: string;
  createdAt: Date;
}

export interface SavedViews {
  list(owner: string): Promise<SavedView[]>;
  save(owner: string, view: Pick<SavedView, 'list' | 'name' | 'query'>): Promise<SavedView>;
  remove(owner: string, id: string): Promise<void>;
}

const MAX_PER_OWNER = 100;

export function createSavedViews({
  db,
  clock,
  randomBytes,
}: {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
}): SavedViews {
  return {
    list: (owner) =>
      db.query<SavedView>(
        `select id, list, name, query, created_at as "createdAt" from saved_view where owner = $1 order by created_at, id`,
        [owner],
      ),
    save: (owner, { list, name, query }) =>
      db.transaction(async (tx) => {
        await lockUntilCommit(tx, `saved views of ${owner}`);
        const [row] = await tx.query<{ n: bigint }>('select count(*) as n from saved_view where owner = $1', [owner]);
        if (Number(row?.n ?? 0) >= MAX_PER_OWNER)
          throw new GatewayError('conflict', { reason: listReasons.tooManyViews(MAX_PER_OWNER) });
        const now = new Date(clock.now());
        const view = { id: makeId('view', now.getTime(), randomBytes), list, name: name.trim(), query, createdAt: now };
        await tx.query(
          'insert into saved_view (id, owner, list, name, query, created_at) values ($1, $2, $3, $4, $5, $6)',
          [view.id, owner, list, view.name, query, now],
        );
        return view;
      }),
    async remove(owner, id) {
      const gone = await db.query('delete from saved_view where id = $1 and owner = $2 returning id', [id, owner]);
      // Another's view is no view.
      if (gone.length === 0) noSuch('saved view', id);
    },
  };
}
