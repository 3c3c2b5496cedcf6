/** Staff and their roles. There is always an owner. */

import type { StaffRole } from '@dargah/core/roles.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { RandomBytes } from '../core/ids.ts';
import { createChangeRecorder, type RecordChange } from '../platform/audit-log.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import type { StaffMember } from './member-rows.ts';
import * as rows from './member-rows.ts';
import { peopleReasons } from './reasons.ts';
import type { Sessions } from './sessions.ts';

export class StaffList {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #sessions: Sessions;
  readonly #changed: RecordChange;

  constructor(options: { db: Database; clock: Clock; randomBytes: RandomBytes; sessions: Sessions }) {
    this.#sessions = options.sessions;
    this.#db = options.db;
    this.#clock = options.clock;
    this.#changed = createChangeRecorder(options, 'staff');
  }

  list(): Promise<StaffMember[]> {
    return rows.ALL_STAFF.rows(this.#db);
  }

  find(personId: string): Promise<StaffMember | undefined> {
    return rows.FIND_STAFF.first(this.#db, [personId]);
  }

  async add(tx: Queryable, personId: string, role: StaffRole, actor: string): Promise<void> {
    if (!(await rows.INSERT_STAFF.first(tx, [personId, role, new Date(this.#clock.now())])))
      throw new GatewayError('conflict', {
        reason: peopleReasons.staffAlready,
      });
    await this.#changed(tx, actor, 'staff.add', personId, { role });
  }

  change(personId: string, role: StaffRole, actor: string): Promise<void> {
    return this.#db.transaction(async (tx) => {
      const before = await keepAnOwner(tx, personId, role);
      await rows.UPDATE_STAFF_ROLE.run(tx, [personId, role]);
      await this.#sessions.endViews(personId, tx);
      const trace = { before: { role: before }, after: { role } };
      await this.#changed(tx, actor, 'staff.role', personId, trace);
    });
  }

  remove(personId: string, actor: string): Promise<void> {
    return this.#db.transaction(async (tx) => {
      await keepAnOwner(tx, personId, undefined);
      await rows.DELETE_STAFF.run(tx, [personId]);
      await this.#sessions.endAll(personId, null, tx);
      await this.#changed(tx, actor, 'staff.remove', personId, {});
    });
  }
}

/** Returns the role that the person had. */
async function keepAnOwner(tx: Queryable, personId: string, role: StaffRole | undefined): Promise<StaffRole> {
  const staff = await rows.LOCKED_STAFF.rows(tx);
  const before = staff.find((one) => one.person_id === personId)?.role;
  if (before === undefined) throw new GatewayError('not_found');
  if (role === 'owner' || staff.some((one) => one.person_id !== personId && one.role === 'owner')) return before;
  throw new GatewayError('conflict', {
    reason: peopleReasons.lastOwner,
  });
}
