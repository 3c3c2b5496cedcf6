/** Webhooks of one member of staff: pagers and chat rooms. They are checked and signed like those of accounts. */
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { makeId, type RandomBytes } from '../../core/ids.ts';
import { noSuch } from '../../keys/index.ts';
import { STAFF_ONLY, tellChange } from '../../platform/changes.ts';
import { type Database, lockUntilCommit } from '../../platform/db/index.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import type { AlertTarget } from '../target-rows.ts';
import { checkTarget } from '../targets.ts';
import { makeWebhookSecret } from '../webhook-signature.ts';
import {
  DELETE_STAFF_TARGET,
  ENABLE_STAFF_TARGET,
  INSERT_STAFF_TARGET,
  KNOWN_STAFF_TARGETS,
  TARGETS_OF_PERSON,
} from './staff-alert-rows.ts';

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

export function createStaffTargets(options: StaffTargetsOptions): StaffTargets {
  const { db, clock, randomBytes, secrets, isTrusted = () => false } = options;
  const tell = (id: string) => tellChange(db, db, STAFF_ONLY, { what: 'staff', id });
  return {
    list: (personId) => TARGETS_OF_PERSON.rows(db, [personId]),
    async add(personId, url) {
      checkTarget(url, isTrusted);
      const secret = makeWebhookSecret(randomBytes);
      const nowMs = clock.now();
      const row = await db.transaction(async (tx) => {
        await lockUntilCommit(tx, `staff targets of ${personId}`);
        const known = await KNOWN_STAFF_TARGETS.rows(tx, [personId]);
        if (known.length >= MAX_TARGETS) throw new GatewayError('conflict', { reason: tooMany });
        return INSERT_STAFF_TARGET.only(tx, [
          makeId('hook', nowMs, randomBytes),
          personId,
          url,
          secrets.seal(secret),
          new Date(nowMs),
        ]);
      });
      await tell(row.id);
      return { ...row, secret };
    },
    async enable(personId, id) {
      const row = await ENABLE_STAFF_TARGET.first(db, [id, personId]);
      if (row) await tell(id);
      return row ?? noSuch('alert target', id);
    },
    async remove(personId, id) {
      const rows = await DELETE_STAFF_TARGET.rows(db, [id, personId]);
      if (rows.length === 0) noSuch('alert target', id);
      await tell(id);
    },
  };
}

const tooMany = { fa: `بیش از ${MAX_TARGETS} وب‌هوک نمی‌شود.`, en: `No more than ${MAX_TARGETS} webhooks.` };
