/** The people of one account as staff sees them. */
import type { MemberRole } from '@dargah/core/roles.ts';
import type { Queryable } from '../platform/db/index.ts';

export interface AccountPerson {
  personId: string;
  name: string;
  role: MemberRole;
  secondFactor: boolean;
  blockedAt: Date | null;
  /** Works here. */
  isStaff: boolean;
  /** Open ones. */
  sessions: number;
  lastSeenAt: Date | null;
  joinedAt: Date;
}

const MAX_PEOPLE = 500;

export function selectAccountPeople(db: Queryable, accountId: string, now: Date): Promise<AccountPerson[]> {
  return db.query<AccountPerson>(
    `select m.person_id as "personId", p.name, m.role, p.totp_confirmed as "secondFactor", p.blocked_at as "blockedAt",
            exists (select from staff s where s.person_id = p.id) as "isStaff",
            coalesce(s.open, 0)::int as sessions, s.seen as "lastSeenAt", m.created_at as "joinedAt"
       from membership m join person p on p.id = m.person_id
       left join lateral (
         select count(*) filter (where expires_at > $2) as open, max(seen_at) as seen from session where person_id = p.id
       ) s on true
      where m.account_id = $1 order by m.created_at, m.person_id limit ${MAX_PEOPLE}`,
    [accountId, now],
  );
}
