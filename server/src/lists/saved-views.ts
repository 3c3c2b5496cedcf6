/** Saved views of lists: the filters of an address under a name, for each person alone. */
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { noSuch } from '../keys/index.ts';
import { type Database, lockUntilCommit } from '../platform/db/index.ts';
import { listReasons } from './reasons.ts';
import { COUNT_VIEWS, DELETE_VIEW, INSERT_VIEW, type SavedView, VIEWS_OF_OWNER } from './saved-view-rows.ts';

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
    list: (owner) => VIEWS_OF_OWNER.rows(db, [owner]),
    save: (owner, { list, name, query }) =>
      db.transaction(async (tx) => {
        await lockUntilCommit(tx, `saved views of ${owner}`);
        const row = await COUNT_VIEWS.first(tx, [owner]);
        if (Number(row?.n ?? 0) >= MAX_PER_OWNER)
          throw new GatewayError('conflict', { reason: listReasons.tooManyViews(MAX_PER_OWNER) });
        const now = new Date(clock.now());
        const view = { id: makeId('view', now.getTime(), randomBytes), list, name: name.trim(), query, createdAt: now };
        await INSERT_VIEW.run(tx, [view.id, owner, list, view.name, query, now]);
        return view;
      }),
    async remove(owner, id) {
      const gone = await DELETE_VIEW.rows(db, [id, owner]);
      // A view of another person is answered as if it did not exist.
      if (gone.length === 0) noSuch('saved view', id);
    },
  };
}
