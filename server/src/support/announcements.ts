/** Announcements: what the operator tells every customer, from one date until another. */

import type { Text } from '@dargah/core/text.ts';
import type { Clock } from '../core/clock.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { noSuch } from '../keys/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import type { Database } from '../platform/db/index.ts';
import type { Announcement } from './news-rows.ts';
import * as rows from './news-rows.ts';

export interface Announcements {
  /** Newest first. */
  list(onlyInForce: boolean): Promise<Announcement[]>;
  announce(
    input: { title: Text; text: Text; from?: Date | undefined; until?: Date | null | undefined },
    actor: string,
  ): Promise<Announcement>;
  takeBack(id: string, actor: string): Promise<void>;
}

export function createAnnouncements(options: { db: Database; clock: Clock; randomBytes: RandomBytes }): Announcements {
  const { db, clock, randomBytes } = options;
  const changed = createChangeRecorder(options, 'announcement');
  return {
    list: (onlyInForce) => rows.ANNOUNCEMENTS.rows(db, [onlyInForce, new Date(clock.now())]),
    announce: ({ title, text, from, until }, actor) =>
      db.transaction(async (tx) => {
        const now = new Date(clock.now());
        const id = makeId('ann', now.getTime(), randomBytes);
        const made = await rows.INSERT_ANNOUNCEMENT.only(tx, [id, title, text, from ?? now, until ?? null, actor, now]);
        await changed(tx, actor, 'announcement.make', id, { title });
        return made;
      }),
    takeBack: (id, actor) =>
      db.transaction(async (tx) => {
        if (!(await rows.DELETE_ANNOUNCEMENT.first(tx, [id]))) noSuch('announcement', id);
        await changed(tx, actor, 'announcement.delete', id, {});
      }),
  };
}
