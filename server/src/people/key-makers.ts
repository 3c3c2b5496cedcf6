/** Who made a key, as customers see it: they see that it was staff, not which person. */
import type { Queryable } from '../platform/db/index.ts';
import { NAMES_OF_ACTORS } from './person-rows.ts';

export interface KeyMaker {
  kind: 'member' | 'management_key' | 'service';
  /** The actor, as the audit log names it; null when the service made it. */
  id: string | null;
}

const KINDS = [
  ['person:', 'member'],
  ['management-key:', 'management_key'],
] as const;

export function keyMakerOf(actor: string): KeyMaker {
  const kind = KINDS.find(([prefix]) => actor.startsWith(prefix))?.[1];
  return kind === undefined ? { kind: 'service', id: null } : { kind, id: actor };
}

/** Names of these actors: members, former members, and management keys of the account. */
export async function namesOfMakers(
  db: Queryable,
  accountId: string,
  actors: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const idsOf = (wanted: KeyMaker['kind'], prefix: string) =>
    actors.flatMap((actor) =>
      actor !== null && keyMakerOf(actor).kind === wanted ? [actor.slice(prefix.length)] : [],
    );
  const [persons, programs] = [idsOf('member', 'person:'), idsOf('management_key', 'management-key:')];
  if (persons.length + programs.length === 0) return new Map();
  const rows = await NAMES_OF_ACTORS.rows(db, [persons, accountId, programs]);
  return new Map(rows.map(({ actor, name }) => [actor, name]));
}
