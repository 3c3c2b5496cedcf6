/** Outages as staff read them, and "I see it". */
import type { Clock } from '../../core/clock.ts';
import { noSuch, refuseCursor } from '../../keys/index.ts';
import { STAFF_ONLY, tellChange } from '../../platform/changes.ts';
import type { Database } from '../../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage, toPage } from '../../platform/db/pages.ts';
import { type Outage, openOutages, outageById, outagesBefore } from './store.ts';

export interface Outages {
  open(): Promise<Outage[]>;
  /** Newest first, open ones among them. */
  list(page: PageRequest): Promise<Page<Outage>>;
  /** Who takes care of it; the first to say so stays. */
  acknowledge(id: string, actor: string): Promise<Outage>;
}

export function createOutages({ db, clock }: { db: Database; clock: Clock }): Outages {
  return {
    open: () => openOutages(db),
    async list(page) {
      const start = startOfPage(page) ?? refuseCursor();
      const rows = await outagesBefore(db, start);
      return toPage(rows, start, ({ openedAt, id }) => ({ time: openedAt, id }));
    },
    async acknowledge(id, actor) {
      await db.query(
        `update outage set acknowledged_at = $2, acknowledged_by = $3 where id = $1 and acknowledged_at is null`,
        [id, new Date(clock.now()), actor],
      );
      await tellChange(db, db, STAFF_ONLY, { what: 'staff_notices', id });
      return (await outageById(db, id)) ?? noSuch('outage', id);
    },
  };
}
