/** Announcements with their dates, and incidents with their updates. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { Text } from '../core/text.ts';
import { DAY_MS } from '../core/time-spans.ts';
import { noSuch } from '../keys/index.ts';
import { createChangeRecorder } from '../platform/admin-trail.ts';
import type { Database } from '../platform/db/index.ts';
import { supportReasons } from './reasons.ts';

export interface Announcement {
  id: string;
  title: Text;
  text: Text;
  from: Date;
  until: Date | null;
}

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

export interface WordFromOperator {
  announcements(onlyInForce: boolean): Promise<Announcement[]>;
  announce(
    given: { title: Text; text: Text; from?: Date | undefined; until?: Date | null | undefined },
    actor: string,
  ): Promise<Announcement>;
  takeBack(id: string, actor: string): Promise<void>;
  incidents(): Promise<Incident[]>;
  openIncident(
    given: { title: Text; text: Text; impact: string; vendors: string[]; startedAt?: Date | undefined },
    actor: string,
  ): Promise<Incident>;
  updateIncident(id: string, update: { state: string; text: Text }, actor: string): Promise<Incident>;
}

const NINETY_DAYS_MS = 90 * DAY_MS;
const ANNOUNCEMENT = 'id, title, text, from_at as "from", until_at as "until"';
const INCIDENT = 'id, title, impact, vendors, state, updates, started_at as "startedAt", resolved_at as "resolvedAt"';

export function createWordFromOperator(options: {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
}): WordFromOperator {
  const { db, clock, randomBytes } = options;
  const changed = createChangeRecorder(options, 'announcement');
  return {
    announcements: (onlyInForce) =>
      db.query<Announcement>(
        `select ${ANNOUNCEMENT} from announcement
         where not $1 or (from_at <= $2 and (until_at is null or until_at > $2)) order by from_at desc limit 100`,
        [onlyInForce, new Date(clock.now())],
      ),
    announce: ({ title, text, from, until }, actor) =>
      db.transaction(async (tx) => {
        const now = new Date(clock.now());
        const id = makeId('ann', now.getTime(), randomBytes);
        const [row] = await tx.query<Announcement>(
          `insert into announcement (id, title, text, from_at, until_at, created_by, created_at)
           values ($1, $2, $3, $4, $5, $6, $7) returning ${ANNOUNCEMENT}`,
          [id, title, text, from ?? now, until ?? null, actor, now],
        );
        await changed(tx, actor, 'announcement.make', id, { title });
        return row ?? noSuch('announcement', id);
      }),
    takeBack: (id, actor) =>
      db.transaction(async (tx) => {
        const rows = await tx.query('delete from announcement where id = $1 returning id', [id]);
        if (rows.length === 0) noSuch('announcement', id);
        await changed(tx, actor, 'announcement.delete', id, {});
      }),
    incidents: () =>
      db.query<Incident>(
        `select ${INCIDENT} from incident where started_at > $1 order by started_at desc, id desc limit 200`,
        [new Date(clock.now() - NINETY_DAYS_MS)],
      ),
    openIncident: ({ title, text, impact, vendors, startedAt }, actor) =>
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
    updateIncident: (id, { state, text }, actor) =>
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
