/**
 * What staff write down about an account for each other: never shown to its people, and no part of what they can download. Nothing is
 * deleted or rewritten; a note is withdrawn and its text stays.
 */
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { noSuch, refuseCursor } from '../keys/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import { STAFF_ONLY, tellChange } from '../platform/changes.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage, toPage } from '../platform/db/pages.ts';
import type { AccountNote } from './note-rows.ts';
import * as rows from './note-rows.ts';
import { accountReasons } from './reasons.ts';

export type NoteAct = 'pin' | 'unpin' | 'withdraw';

export interface AccountNotes {
  /** Pinned ones first, then the newest. */
  list(accountId: string, page: PageRequest): Promise<Page<AccountNote>>;
  add(
    accountId: string,
    note: { text: string; requestId?: string | undefined; pinned: boolean },
    actor: string,
  ): Promise<AccountNote>;
  /** `not_found` for a note of another account. */
  act(accountId: string, id: string, act: NoteAct, by: { actor: string; isOwner: boolean }): Promise<AccountNote>;
}

export function createAccountNotes(options: { db: Database; clock: Clock; randomBytes: RandomBytes }): AccountNotes {
  const { db, clock, randomBytes } = options;
  const changed = createChangeRecorder(options, 'account_note');
  const find = async (tx: Queryable, accountId: string, id: string) =>
    (await rows.ACCOUNT_NOTE_BY_ID.first(tx, [accountId, id])) ?? noSuch('note', id);
  return {
    async list(accountId, page) {
      const start = startOfPage(page) ?? refuseCursor();
      const notes = await rows.ACCOUNT_NOTES.rows(db, [accountId, start.time, start.id, start.fetch]);
      const { items, next } = toPage(notes, start, ({ createdAt, id }) => ({ time: createdAt, id }));
      if (start.time !== null) return { items: items.filter(({ pinned }) => !pinned), next };
      const pinnedNotes = await rows.PINNED_NOTES.rows(db, [accountId]);
      return { items: [...pinnedNotes, ...items.filter(({ pinned }) => !pinned)], next };
    },
    add: (accountId, { text, requestId, pinned }, actor) =>
      db.transaction(async (tx) => {
        const now = clock.now();
        const id = makeId('note', now, randomBytes);
        await rows.INSERT_NOTE.run(tx, [id, accountId, text, requestId ?? null, pinned, actor, new Date(now)]);
        // Its text is not repeated in the audit log, which more people read.
        await changed(tx, actor, 'note.add', id, { account_id: accountId });
        await tellChange(db, tx, STAFF_ONLY, { what: 'notes', id: accountId });
        return find(tx, accountId, id);
      }),
    act: (accountId, id, act, { actor, isOwner }) =>
      db.transaction(async (tx) => {
        const note = await find(tx, accountId, id);
        if (note.withdrawnAt !== null) throw new GatewayError('conflict', { reason: accountReasons.noteWithdrawn });
        if (act === 'withdraw') {
          if (!isOwner && note.author !== actor)
            throw new GatewayError('forbidden', { instead: accountReasons.otherNote });
          await rows.WITHDRAW_NOTE.run(tx, [id, new Date(clock.now()), actor]);
        } else await rows.PIN_NOTE.run(tx, [id, act === 'pin']);
        await changed(tx, actor, `note.${act}`, id, { account_id: accountId });
        await tellChange(db, tx, STAFF_ONLY, { what: 'notes', id: accountId });
        return find(tx, accountId, id);
      }),
  };
}
