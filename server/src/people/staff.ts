/** Who works here, and in which role. There is always an owner. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { RandomBytes } from '../core/ids.ts';
import type { StaffRole } from '../core/roles.ts';
import { createChangeRecorder, type RecordChange } from '../platform/audit-log.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { peopleReasons } from './reasons.ts';
import type { Sessions } from './sessions.ts';

export interface StaffMember {
  personId: string;
  name: string;
  role: StaffRole;
  secondFactor: boolean;
  createdAt: Date;
}

const COLUMNS = `s.person_id as "personId", p.name, s.role, p.totp_confirmed as "secondFactor", s.created_at as "createdAt"`;

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
    return this.#db.query<StaffMember>(
      `select ${COLUMNS} from staff s join person p on p.id = s.person_id order by s.created_at, s.person_id`,
    );
  }

  async find(personId: string): Promise<StaffMember | undefined> {
    const [found] = await this.#db.query<StaffMember>(
      `select ${COLUMNS} from staff s join person p on p.id = s.person_id where s.person_id = $1 and p.blocked_at is null`,
      [personId],
      { name: 'find-staff' },
    );
    return found;
  }

  async add(tx: Queryable, personId: string, role: StaffRole, actor: string): Promise<void> {
    const added = await tx.query(
      'insert into staff (person_id, role, created_at) values ($1, $2, $3) on conflict do nothing returning person_id',
      [personId, role, new Date(this.#clock.now())],
    );
    if (added.length === 0)
      throw new GatewayError('conflict', {
        reason: peopleReasons.staffAlready,
      });
    await this.#changed(tx, actor, 'staff.add', personId, { role });
  }

  change(personId: string, role: StaffRole, actor: string): Promise<void> {
    return this.#db.transaction(async (tx) => {
      await keepAnOwner(tx, personId, role);
      const [before] = await tx.query<{ role: string }>('select role from staff where person_id = $1 for update', [
        personId,
      ]);
      await tx.query('update staff set role = $2 where person_id = $1', [personId, role]);
      await this.#sessions.endViews(personId, tx);
      const trace = { before: { role: before?.role ?? null }, after: { role } };
      await this.#changed(tx, actor, 'staff.role', personId, trace);
    });
  }

  remove(personId: string, actor: string): Promise<void> {
    return this.#db.transaction(async (tx) => {
      await keepAnOwner(tx, personId, undefined);
      await tx.query('delete from staff where person_id = $1', [personId]);
      await this.#sessions.endAll(personId, null, tx);
      await this.#changed(tx, actor, 'staff.remove', personId, {});
    });
  }
}

async function keepAnOwner(tx: Queryable, personId: string, role: StaffRole | undefined): Promise<void> {
  const rows = await tx.query<{ person_id: string; role: StaffRole }>(
    'select person_id, role from staff order by person_id for update',
  );
  if (!rows.some((row) => row.person_id === personId)) throw new GatewayError('not_found');
  if (role === 'owner' || rows.some((row) => row.person_id !== personId && row.role === 'owner')) return;
  throw new GatewayError('conflict', {
    reason: peopleReasons.lastOwner,
  });
}
