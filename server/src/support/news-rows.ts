/** Every statement on what the operator tells everybody: announcements and incidents. */
import type { Text } from '@dargah/core/text.ts';
import { column, columnsOf, orNull, type RowOf, readAs, statement } from '../platform/db/index.ts';

const announcementRow = {
  id: column.text,
  title: column.jsonOf<Text>(),
  text: column.jsonOf<Text>(),
  from: readAs('from_at', column.timestamp),
  until: readAs('until_at', orNull(column.timestamp)),
};
export type Announcement = RowOf<typeof announcementRow>;

/** All of them, or those that are in force at $2. Newest first. */
export const ANNOUNCEMENTS = statement(
  announcementRow,
  `select ${columnsOf(announcementRow)} from announcement
   where not $1 or (from_at <= $2 and (until_at is null or until_at > $2)) order by from_at desc limit 100`,
);
export const INSERT_ANNOUNCEMENT = statement(
  announcementRow,
  `insert into announcement (id, title, text, from_at, until_at, created_by, created_at)
   values ($1, $2, $3, $4, $5, $6, $7) returning ${columnsOf(announcementRow)}`,
);
export const DELETE_ANNOUNCEMENT = statement(
  { id: column.text },
  'delete from announcement where id = $1 returning id',
);

export type IncidentImpact = 'minor' | 'major' | 'maintenance';
export type IncidentState = 'investigating' | 'identified' | 'monitoring' | 'resolved';

const incidentRow = {
  id: column.text,
  title: column.jsonOf<Text>(),
  impact: column.textOf<IncidentImpact>(),
  vendors: column.jsonOf<string[]>(),
  state: column.textOf<IncidentState>(),
  updates: column.jsonOf<{ at: string; state: string; text: Text }[]>(),
  startedAt: column.timestamp,
  resolvedAt: orNull(column.timestamp),
};
export type Incident = RowOf<typeof incidentRow>;
const INCIDENT = columnsOf(incidentRow);

export const INCIDENTS_SINCE = statement(
  incidentRow,
  `select ${INCIDENT} from incident where started_at > $1 order by started_at desc, id desc limit 200`,
);
export const LOCKED_INCIDENT = statement(
  { resolved_at: orNull(column.timestamp) },
  'select resolved_at from incident where id = $1 for update',
);
export const INSERT_INCIDENT = statement(
  incidentRow,
  `insert into incident (id, title, impact, vendors, state, updates, started_at)
   values ($1, $2, $3, $4::jsonb, 'investigating', $5::jsonb, $6) returning ${INCIDENT}`,
);
export const UPDATE_INCIDENT = statement(
  incidentRow,
  `update incident set state = $2, updates = updates || $3::jsonb, resolved_at = $4 where id = $1 returning ${INCIDENT}`,
);
