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
import { accountReasons } from './reasons.ts';

export interface AccountNote {
  id: string;
  accountId: string;
  text: string;
  requestId: string | null;
  pinned: boolean;
  /** The actor, as the audit log names it. */
  author: string;
  authorName: string | null;
  createdAt: Date;
  withdrawnAt: Date | null;
}

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

const COLUMNS = `n.id, n.account_id as "accountId", n.text, n.request_id as "requestId", n.pinned, n.author, p.name as "authorName",
  n.created_at as "createdAt", n.withdrawn_at as "withdrawnAt"`;
const FROM = `account_note n left join person p on n.author = 'staff:' || p.id`;

export function createAccountNotes(options: { db: Database; clock: Clock; randomBytes: RandomBytes }): AccountNotes {
  const { db, clock, randomBytes } = options;
  const changed = createChangeRecorder(options, 'account_note');
  const find = async (tx: Queryable, accountId: string, id: string) => {
    const [note] = await tx.query<AccountNote>(`select ${COLUMNS} from ${FROM} where n.account_id = $1 and n.id = $2`, [
      accountId,
      id,
    ]);
    return note ?? noSuch('note', id);
  };
  return {
    async list(accountId, page) {
      const start = startOfPage(page) ?? refuseCursor();
      const rows = await db.query<AccountNote>(
        `select ${COLUMNS} from ${FROM}
          where n.account_id = $1 and ($2::timestamptz is null or (n.created_at, n.id) < ($2, $3))
          order by n.created_at desc, n.id desc limit $4`,
        [accountId, start.time, start.id, start.fetch],
      );
      const { items, next } = toPage(rows, start, ({ createdAt, id }) => ({ time: createdAt, id }));
      if (start.time !== null) return { items: items.filter(({ pinned }) => !pinned), next };
      return { items: [...(await pinnedNotes(db, accountId)), ...items.filter(({ pinned }) => !pinned)], next };
    },
    add: (accountId, { text, requestId, pinned }, actor) =>
      db.transaction(async (tx) => {
        const now = clock.now();
        const id = makeId('note', now, randomBytes);
        await tx.query(
          `insert into account_note (id, account_id, text, request_id, pinned, author, created_at)
           values ($1, $2, $3, $4, $5, $6, $7)`,
          [id, accountId, text, requestId ?? null, pinned, actor, new Date(now)],
        );
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
          await tx.query('update account_note set withdrawn_at = $2, withdrawn_by = $3, pinned = false where id = $1', [
            id,
            new Date(clock.now()),
            actor,
          ]);
        } else await tx.query('update account_note set pinned = $2 where id = $1', [id, act === 'pin']);
        await changed(tx, actor, `note.${act}`, id, { account_id: accountId });
        await tellChange(db, tx, STAFF_ONLY, { what: 'notes', id: accountId });
        return find(tx, accountId, id);
      }),
  };
}

const MAX_PINNED = 20;

function pinnedNotes(db: Queryable, accountId: string): Promise<AccountNote[]> {
  return db.query<AccountNote>(
    `select ${COLUMNS} from ${FROM} where n.account_id = $1 and n.pinned order by n.created_at desc, n.id desc limit ${MAX_PINNED}`,
    [accountId],
  );
}
