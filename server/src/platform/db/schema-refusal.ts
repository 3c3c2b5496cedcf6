/** Which databases this version does not start on. Decided from what they say of themselves, before anything is written. */
import { minorsAhead, VERSION } from '../../core/version.ts';
import { DatabaseNotUsable } from './failures.ts';
import type { Migration, Released } from './migration-files.ts';

/** How many minor versions a database may be ahead, so that one release can be rolled back. */
const MAX_MINORS_AHEAD = 1;

/** A migration as a database remembers it. 0.1.0 did not note who applied it. */
export interface AppliedMigration {
  number: number;
  name: string;
  hash: string;
  version: string | null;
}

export type Applied = ReadonlyMap<number, AppliedMigration>;

/** The message is printed for the operator as it is, in one line. */
export class SchemaRefused extends DatabaseNotUsable {}

export function refuseSchema(applied: Applied, migrations: readonly Migration[], released: Released): void {
  const reason = neverReleased(applied, migrations, released) ?? tooNew(applied, migrations);
  if (reason !== undefined) throw new SchemaRefused(reason);
  for (const migration of migrations) refuseChanged(applied, migration);
}

/** Refuses a file that is not released yet and was changed after a database had applied it. */
export function refuseChanged(applied: Applied, { number, name, hash }: Migration): void {
  const known = applied.get(number);
  if (!known || known.hash === hash) return;
  throw new SchemaRefused(
    `Migration ${name} was applied to this database as ${known.name} and has changed since. Nothing was changed. Add a new one instead.`,
  );
}

/**
 * Refuses a database that has another file under a released number, or one between released ones that no release has:
 * it was made by an unreleased build.
 */
function neverReleased(applied: Applied, migrations: readonly Migration[], released: Released): string | undefined {
  const [[first = '', files = {}] = []] = Object.entries(released);
  const known = new Map(Object.entries(files).map(([name, hash]) => [Number.parseInt(name, 10), hash]));
  const last = Math.max(0, ...known.keys());
  const ours = new Set(migrations.map(({ number }) => number));
  const foreign = [...applied.values()].some(({ number, hash }) =>
    known.has(number) ? known.get(number) !== hash : number <= last && !ours.has(number),
  );
  if (!foreign) return undefined;
  return `This database was made by a state before ${first} that was never released. Nothing was changed. Go on with that state, or start with an empty database.`;
}

function tooNew(applied: Applied, migrations: readonly Migration[]): string | undefined {
  const ours = new Set(migrations.map(({ number }) => number));
  for (const { number, version } of applied.values()) {
    if (ours.has(number) || (version !== null && minorsAhead(version) <= MAX_MINORS_AHEAD)) continue;
    const maker = version ?? 'a version that this one does not know';
    return `The tables of this database are those of ${maker}; this is ${VERSION}, which works on tables of one minor version above its own at most. Nothing was changed. Start ${version ?? 'that version'}, or the one before it.`;
  }
  return undefined;
}
