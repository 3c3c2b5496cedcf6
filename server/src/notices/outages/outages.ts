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
  /** Messages by e-mail, SMS and webhook about it, newest first; in the console everybody sees it. */
  told(id: string): Promise<OutageMessage[]>;
  /** Who takes care of it; the first to say so stays. */
  acknowledge(id: string, actor: string): Promise<Outage>;
}

export interface OutageMessage {
  personId: string;
  name: string;
  channel: 'email' | 'sms' | 'webhook';
  phase: 'opened' | 'closed';
  state: 'waiting' | 'sent' | 'failed';
  problem: string | null;
  at: Date;
}

const MAX_TOLD = 200;

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
      // Models of one provider that fail together are one message, which names one of them.
      return db.query<OutageMessage>(
        `select sent.person_id as "personId", person.name, sent.channel,
           case when notice.data ->> 'phase' = 'opened' then 'opened' else 'closed' end as phase, sent.state,
           sent.last_problem as problem, coalesce(sent.sent_at, sent.created_at) as at
         from notice join staff_delivery sent on sent.notice_id = notice.id join person on person.id = sent.person_id
         where notice.account_id = '' and notice.event = $2 and notice.occasion like $1 || ':%' and notice.created_at >= $3
         order by at desc, sent.id limit ${MAX_TOLD}`,
        [id, outage.kind, outage.openedAt],
      );
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
