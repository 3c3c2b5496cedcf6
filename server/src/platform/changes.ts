/**
 * News of changes for open pages: what kind of thing of whose account changed, never what it says. The database's channel carries
 * it, so it reaches the pages of every replica, and only once the change is committed.
 */
import type { Database, Queryable } from './db/database.ts';

export const CHANGED_THINGS = [
  'account',
  'alerts',
  'announcements',
  'catalog',
  'gateways',
  'gift_codes',
  'keys',
  'knowledge',
  'management_keys',
  'members',
  'notices',
  'operator_tokens',
  'orders',
  'settings',
  'staff',
  'staff_notices',
  'tickets',
  'usage',
  'wallet',
] as const;
export type ChangedThing = (typeof CHANGED_THINGS)[number];

export interface ThingChange {
  what: ChangedThing;
  id: string;
}

/** The owner of a change that belongs to no account: only staff hear of it. */
export const STAFF_ONLY = '';

type Listener = (change: ThingChange) => void;

interface Follower {
  heard: Listener;
  /** Called when changes may have been missed, so that everything must be read again. */
  missed(): void;
}

const TOPIC = 'changed';

/** Topics that replicas send each other anyway, whose id is the account's. */
const TOLD_OF_ACCOUNTS: Record<string, ChangedThing> = { account: 'account', wallet: 'wallet' };
/** For the whole service: everyone hears that something changed, but not which id, since it may name a supplier. */
const TOLD_TO_ALL: Record<string, ChangedThing> = { announcement: 'announcements', catalog: 'catalog' };
const TOLD_TO_STAFF: Record<string, ChangedThing> = {
  gift_code: 'gift_codes',
  operator_token: 'operator_tokens',
  payment_gateway: 'gateways',
  setting: 'settings',
  staff: 'staff',
};

/** Inside a transaction the message is sent only if the transaction commits. */
export function tellChange(
  db: Pick<Database, 'publish'>,
  tx: Queryable,
  accountId: string,
  { what, id }: ThingChange,
): Promise<void> {
  return db.publish(tx, TOPIC, [what, accountId, id].join(' '));
}

/** What all replicas tell, handed to whoever follows an account or, as staff, all of them. */
export class ChangeFeed {
  readonly #ofAccount = new Map<string, Set<Follower>>();
  readonly #staff = new Set<Follower>();

  constructor(db: Pick<Database, 'subscribe'>) {
    const missed = () => this.#everybody((follower) => follower.missed());
    db.subscribe(TOPIC, (text) => this.#tell(text), missed);
    for (const [topic, what] of Object.entries(TOLD_OF_ACCOUNTS))
      db.subscribe(topic, (id) => this.#hand(id, { what, id }), missed);
    for (const [topic, what] of Object.entries(TOLD_TO_ALL))
      db.subscribe(topic, () => this.#everybody(({ heard }) => heard({ what, id: '' })), missed);
    for (const [topic, what] of Object.entries(TOLD_TO_STAFF))
      db.subscribe(topic, (id) => this.#hand(STAFF_ONLY, { what, id }), missed);
  }

  /** Returns a function that stops listening. */
  followAccount(accountId: string, follower: Follower): () => void {
    const followers = this.#ofAccount.get(accountId) ?? new Set();
    this.#ofAccount.set(accountId, followers.add(follower));
    return () => {
      followers.delete(follower);
      if (followers.size === 0) this.#ofAccount.delete(accountId);
    };
  }

  followAll(follower: Follower): () => void {
    this.#staff.add(follower);
    return () => void this.#staff.delete(follower);
  }

  #tell(text: string): void {
    const [what, accountId, id] = text.split(' ');
    // A replica of a later version may tell of things that this one does not know.
    const known = CHANGED_THINGS.find((thing) => thing === what);
    if (known !== undefined && accountId !== undefined && id !== undefined) this.#hand(accountId, { what: known, id });
  }

  #hand(accountId: string, change: ThingChange): void {
    if (accountId !== STAFF_ONLY) for (const { heard } of this.#ofAccount.get(accountId) ?? []) heard(change);
    for (const { heard } of this.#staff) heard(change);
  }

  #everybody(act: (follower: Follower) => void): void {
    for (const followers of this.#ofAccount.values()) for (const follower of followers) act(follower);
    for (const follower of this.#staff) act(follower);
  }
}
