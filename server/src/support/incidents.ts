/** Incidents: what the status page tells of a fault, with its updates. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { Text } from '../core/text.ts';
import { DAY_MS } from '../core/time-spans.ts';
import { noSuch } from '../keys/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import type { Database } from '../platform/db/index.ts';
import { supportReasons } from './reasons.ts';

export interface Incident {
  id: string;
  title: Text;
  impact: string;
  vendors: string[];
  state: string;
  updates: { at: string; state: string; text: Text }[];
  startedAt: Date;
  resolvedAt: Date | null;
}

export interface Incidents {
  /** Those of the ninety days that the status page shows, newest first. */
  list(): Promise<Incident[]>;
  open(
    input: { title: Text; text: Text; impact: string; vendors: string[]; startedAt?: Date | undefined },
    actor: string,
  ): Promise<Incident>;
  update(id: string, update: { state: string; text: Text }, actor: string): Promise<Incident>;
}

const NINETY_DAYS_MS = 90 * DAY_MS;
const INCIDENT = 'id, title, impact, vendors, state, updates, started_at as "startedAt", resolved_at as "resolvedAt"';

export function createIncidents(options: { db: Database; clock: Clock; randomBytes: RandomBytes }): Incidents {
  const { db, clock, randomBytes } = options;
  const changed = createChangeRecorder(options, 'incident');
  return {
    list: () =>
      db.query<Incident>(
        `select ${INCIDENT} from incident where started_at > $1 order by started_at desc, id desc limit 200`,
        [new Date(clock.now() - NINETY_DAYS_MS)],
      ),
    open: ({ title, text, impact, vendors, startedAt }, actor) =>
      db.transaction(async (tx) => {
        const now = new Date(clock.now());
        const id = makeId('inc', now.getTime(), randomBytes);
        const updates = [{ at: now.toISOString(), state: 'investigating', text }];
        const [row] = await tx.query<Incident>(
          `insert into incident (id, title, impact, vendors, state, updates, started_at)
           values ($1, $2, $3, $4::jsonb, 'investigating', $5::jsonb, $6) returning ${INCIDENT}`,
          [id, title, impact, JSON.stringify(vendors), JSON.stringify(updates), startedAt ?? now],
        );
        await changed(tx, actor, 'incident.open', id, { title });
        return row ?? noSuch('incident', id);
      }),
    update: (id, { state, text }, actor) =>
      db.transaction(async (tx) => {
        const now = new Date(clock.now());
        const [found] = await tx.query<{ resolved_at: Date | null }>(
          'select resolved_at from incident where id = $1 for update',
          [id],
        );
        if (!found) noSuch('incident', id);
        if (found?.resolved_at) throw new GatewayError('conflict', { reason: supportReasons.incidentOver });
        const [row] = await tx.query<Incident>(
          `update incident set state = $2, updates = updates || $3::jsonb, resolved_at = $4 where id = $1 returning ${INCIDENT}`,
          [id, state, JSON.stringify([{ at: now.toISOString(), state, text }]), state === 'resolved' ? now : null],
        );
        await changed(tx, actor, 'incident.update', id, { state });
        return row ?? noSuch('incident', id);
      }),
  };
}
