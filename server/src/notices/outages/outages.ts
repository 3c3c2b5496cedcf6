/** Outages as staff read them, and their acknowledgement. */
import type { Clock } from '../../core/clock.ts';
import { noSuch, refuseCursor } from '../../keys/index.ts';
import { STAFF_ONLY, tellChange } from '../../platform/changes.ts';
import type { Database } from '../../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage, toPage } from '../../platform/db/pages.ts';
import {
  ACKNOWLEDGE_OUTAGE,
  MESSAGES_OF_OUTAGE,
  type Outage,
  type OutageMessage,
  openOutages,
  outageById,
  outagesBefore,
} from './outage-rows.ts';

export interface Outages {
  open(): Promise<Outage[]>;
  /** Newest first, including open ones. */
  list(page: PageRequest): Promise<Page<Outage>>;
  /** Messages about it by e-mail, SMS and webhook, newest first; in the console everybody sees it. */
  told(id: string): Promise<OutageMessage[]>;
  /** Records who takes care of it; only the first acknowledgement counts. */
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
    async told(id) {
      const outage = (await outageById(db, id)) ?? noSuch('outage', id);
      // Models of one provider that fail together share one message, which names one of them.
      return MESSAGES_OF_OUTAGE.rows(db, [id, outage.kind, outage.openedAt]);
    },
    async acknowledge(id, actor) {
      await ACKNOWLEDGE_OUTAGE.run(db, [id, new Date(clock.now()), actor]);
      await tellChange(db, db, STAFF_ONLY, { what: 'staff_notices', id });
      return (await outageById(db, id)) ?? noSuch('outage', id);
    },
  };
}
