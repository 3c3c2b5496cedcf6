/**
 * Access that staff close and open again. Every replica is told at once: keys are read again by the topic of accounts,
 * and running requests end by a topic of its own, which names only the account.
 */
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { RandomBytes } from '../core/ids.ts';
import { isBlocked, noSuch } from '../keys/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import type { Account } from './account-rows.ts';
import * as rows from './account-rows.ts';
import { accountReasons } from './reasons.ts';

/** A member of staff who is not an owner closes access for at most so long. */
export const MAX_SUPPORT_HOURS = 24;

export interface BlockInput {
  /** The reason that the customer reads. */
  reason: string;
  /** Null when it lasts until somebody opens the account again. */
  hours: number | null;
}

/** `isOwner`: may close it with an open end, and change what another owner decided. */
interface Actor {
  actor: string;
  isOwner: boolean;
}

export interface AccountBlocks {
  block(
    id: string,
    input: BlockInput,
    by: Actor,
    alongside: (tx: Queryable, account: Account) => Promise<void>,
  ): Promise<Account>;
  unblock(id: string, reason: string, by: Actor): Promise<Account>;
  /** Calls `blocked` and `opened` with the ids of accounts, as any replica changes them. Returns a function that stops. */
  follow(listener: { blocked(id: string): void; opened(id: string): void }): () => void;
}

const TOPIC = 'account_block';
const BLOCKED = 'blocked';
const OPENED = 'opened';

export function createAccountBlocks(options: { db: Database; clock: Clock; randomBytes: RandomBytes }): AccountBlocks {
  const { db, clock } = options;
  const changed = createChangeRecorder(options, 'account');
  return {
    block: (id, { reason, hours }, { actor, isOwner }, alongside) =>
      db.transaction(async (tx) => {
        const account = (await rows.selectAccount(tx, id, true)) ?? noSuch('account', id);
        if (account.closedAt !== null) throw new GatewayError('conflict', { reason: accountReasons.closed });
        if (!isOwner && (hours === null || hours > MAX_SUPPORT_HOURS))
          throw new GatewayError('forbidden', { instead: accountReasons.blockTooLong(MAX_SUPPORT_HOURS) });
        const now = new Date(clock.now());
        // Another of the same length would make an open end of many short ones.
        if (!isOwner && account.blocked && isBlocked(account.blocked, now.getTime()))
          throw new GatewayError('conflict', { reason: accountReasons.blockedAlready });
        const until = hours === null ? null : new Date(now.getTime() + hours * HOUR_MS);
        const blocked = { at: now, until, reason, by: actor };
        await rows.updateBlock(tx, id, blocked, now);
        await db.publish(tx, TOPIC, `${BLOCKED} ${id}`);
        await changed(tx, actor, 'account.block', id, { reason, until: until?.toISOString() ?? null });
        await alongside(tx, account);
        return { ...account, blocked, updatedAt: now };
      }),
    unblock: (id, reason, { actor, isOwner }) =>
      db.transaction(async (tx) => {
        const account = (await rows.selectAccount(tx, id, true)) ?? noSuch('account', id);
        const now = new Date(clock.now());
        const { blocked } = account;
        if (!blocked || !isBlocked(blocked, now.getTime()))
          throw new GatewayError('conflict', { reason: accountReasons.notBlocked });
        // What only an owner could have closed, only an owner opens.
        if (!isOwner && isLong(blocked))
          throw new GatewayError('forbidden', { instead: accountReasons.blockedByOwner });
        await rows.updateBlock(tx, id, null, now);
        await db.publish(tx, TOPIC, `${OPENED} ${id}`);
        await changed(tx, actor, 'account.unblock', id, { reason });
        return { ...account, blocked: null, updatedAt: now };
      }),
    follow({ blocked, opened }) {
      const readAll = () =>
        rows.selectBlocked(db, new Date(clock.now())).then(
          (ids) => ids.forEach(blocked),
          // The connection that was lost tells again when it is back.
          () => undefined,
        );
      return db.subscribe(
        TOPIC,
        (text) => {
          const [act, id] = text.split(' ');
          if (id === undefined) return;
          if (act === BLOCKED) blocked(id);
          else if (act === OPENED) opened(id);
        },
        () => void readAll(),
      );
    },
  };
}

function isLong({ at, until }: { at: Date; until: Date | null }): boolean {
  return until === null || until.getTime() - at.getTime() > MAX_SUPPORT_HOURS * HOUR_MS;
}
