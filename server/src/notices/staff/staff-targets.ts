/** Webhooks of one of the operator's people: pagers and chat rooms. Guarded and signed like those of accounts. */
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { makeId, type RandomBytes } from '../../core/ids.ts';
import { noSuch } from '../../keys/index.ts';
import { STAFF_ONLY, tellChange } from '../../platform/changes.ts';
import { type Database, lockUntilCommit } from '../../platform/db/index.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { type AlertTarget, checkTarget } from '../targets.ts';
import { makeWebhookSecret } from '../webhook-signature.ts';

export interface StaffTargets {
  list(personId: string): Promise<AlertTarget[]>;
  add(personId: string, url: string): Promise<AlertTarget & { secret: string }>;
  enable(personId: string, id: string): Promise<AlertTarget>;
  remove(personId: string, id: string): Promise<void>;
}

export interface StaffTargetsOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  secrets: SecretBox;
  /** For tests, whose targets have no TLS. The service itself trusts none. */
  isTrusted?(url: URL): boolean;
}

const MAX_TARGETS = 5;
const COLUMNS = `id, url, enabled, problem, created_at as "createdAt"`;

export function createStaffTargets(options: StaffTargetsOptions): StaffTargets {
  const { db, clock, randomBytes, secrets, isTrusted = () => false } = options;
  const tell = (id: string) => tellChange(db, db, STAFF_ONLY, { what: 'staff', id });
  return {
    list: (personId) =>
      db.query<AlertTarget>(`select ${COLUMNS} from staff_target where person_id = $1 order by created_at, id`, [
        personId,
      ]),
    async add(personId, url) {
      checkTarget(url, isTrusted);
      const secret = makeWebhookSecret(randomBytes);
      const nowMs = clock.now();
      const row = await db.transaction(async (tx) => {
        await lockUntilCommit(tx, `staff targets of ${personId}`);
        const known = await tx.query('select from staff_target where person_id = $1', [personId]);
        if (known.length >= MAX_TARGETS) throw new GatewayError('conflict', { reason: tooMany });
        const [made] = await tx.query<AlertTarget>(
          `insert into staff_target (id, person_id, url, sealed, enabled, created_at) values ($1, $2, $3, $4, true, $5)
           returning ${COLUMNS}`,
          [makeId('hook', nowMs, randomBytes), personId, url, secrets.seal(secret), new Date(nowMs)],
        );
        return made as AlertTarget;
      });
      await tell(row.id);
      return { ...row, secret };
    },
    async enable(personId, id) {
      const [row] = await db.query<AlertTarget>(
        `update staff_target set enabled = true, problem = null, failing_since = null where id = $1 and person_id = $2
         returning ${COLUMNS}`,
        [id, personId],
      );
      if (row) await tell(id);
      return row ?? noSuch('alert target', id);
    },
    async remove(personId, id) {
      const rows = await db.query('delete from staff_target where id = $1 and person_id = $2 returning id', [
        id,
        personId,
      ]);
      if (rows.length === 0) noSuch('alert target', id);
      await tell(id);
    },
  };
}

const tooMany = { fa: `بیش از ${MAX_TARGETS} وب‌هوک نمی‌شود.`, en: `No more than ${MAX_TARGETS} webhooks.` };
