/** Announcements: what the operator tells every customer, from a date until another. */

import type { Clock } from '../core/clock.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { Text } from '../core/text.ts';
import { noSuch } from '../keys/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import type { Database } from '../platform/db/index.ts';

export interface Announcement {
  id: string;
  title: Text;
  text: Text;
  from: Date;
  until: Date | null;
}

export interface Announcements {
  /** Newest first. */
  list(onlyInForce: boolean): Promise<Announcement[]>;
  announce(
    input: { title: Text; text: Text; from?: Date | undefined; until?: Date | null | undefined },
    actor: string,
  ): Promise<Announcement>;
  takeBack(id: string, actor: string): Promise<void>;
}

const ANNOUNCEMENT = 'id, title, text, from_at as "from", until_at as "until"';

export function createAnnouncements(options: { db: Database; clock: Clock; randomBytes: RandomBytes }): Announcements {
  const { db, clock, randomBytes } = options;
  const changed = createChangeRecorder(options, 'announcement');
  return {
    list: (onlyInForce) =>
      db.query<Announcement>(
        `select ${ANNOUNCEMENT} from announcement
         where not $1 or (from_at <= $2 and (until_at is null or until_at > $2)) order by from_at desc limit 100`,
        [onlyInForce, new Date(clock.now())],
      ),
    announce: ({ title, text, from, until }, actor) =>
      db.transaction(async (tx) => {
        const now = new Date(clock.now());
        const id = makeId('ann', now.getTime(), randomBytes);
        const [row] = await tx.query<Announcement>(
          `insert into announcement (id, title, text, from_at, until_at, created_by, created_at)
           values ($1, $2, $3, $4, $5, $6, $7) returning ${ANNOUNCEMENT}`,
          [id, title, text, from ?? now, until ?? null, actor, now],
        );
        await changed(tx, actor, 'announcement.make', id, { title });
        return row ?? noSuch('announcement', id);
      }),
    takeBack: (id, actor) =>
      db.transaction(async (tx) => {
        const rows = await tx.query('delete from announcement where id = $1 returning id', [id]);
        if (rows.length === 0) noSuch('announcement', id);
        await changed(tx, actor, 'announcement.delete', id, {});
      }),
  };
}
