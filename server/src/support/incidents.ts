/** Incidents: what the status page says of a fault, with its updates. */

import type { Text } from '@dargah/core/text.ts';
import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { noSuch } from '../keys/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import type { Database } from '../platform/db/index.ts';
import type { Incident, IncidentImpact, IncidentState } from './news-rows.ts';
import * as rows from './news-rows.ts';
import { supportReasons } from './reasons.ts';

export interface Incidents {
  /** The incidents of the ninety days that the status page shows, newest first. */
  list(): Promise<Incident[]>;
  open(
    input: { title: Text; text: Text; impact: IncidentImpact; vendors: string[]; startedAt?: Date | undefined },
    actor: string,
  ): Promise<Incident>;
  update(id: string, update: { state: IncidentState; text: Text }, actor: string): Promise<Incident>;
}

const NINETY_DAYS_MS = 90 * DAY_MS;

export function createIncidents(options: { db: Database; clock: Clock; randomBytes: RandomBytes }): Incidents {
  const { db, clock, randomBytes } = options;
  const changed = createChangeRecorder(options, 'incident');
  return {
    list: () => rows.INCIDENTS_SINCE.rows(db, [new Date(clock.now() - NINETY_DAYS_MS)]),
    open: ({ title, text, impact, vendors, startedAt }, actor) =>
      db.transaction(async (tx) => {
        const now = new Date(clock.now());
        const id = makeId('inc', now.getTime(), randomBytes);
        const updates = [{ at: now.toISOString(), state: 'investigating', text }];
        const values = [id, title, impact, JSON.stringify(vendors), JSON.stringify(updates), startedAt ?? now];
        const opened = await rows.INSERT_INCIDENT.only(tx, values);
        await changed(tx, actor, 'incident.open', id, { title });
        return opened;
      }),
    update: (id, { state, text }, actor) =>
      db.transaction(async (tx) => {
        const now = new Date(clock.now());
        const found = (await rows.LOCKED_INCIDENT.first(tx, [id])) ?? noSuch('incident', id);
        if (found.resolved_at) throw new GatewayError('conflict', { reason: supportReasons.incidentOver });
        const update = JSON.stringify([{ at: now.toISOString(), state, text }]);
        const updated = await rows.UPDATE_INCIDENT.only(tx, [id, state, update, state === 'resolved' ? now : null]);
        await changed(tx, actor, 'incident.update', id, { state });
        return updated;
      }),
  };
}
