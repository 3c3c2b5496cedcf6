/**
 * Sums of usage over spans whose days are partly in the archive: the parts of the log and of the archive are added up.
 */
import { GatewayError } from '../../core/errors.ts';
import { parseTrustedJson } from '../../core/json.ts';
import type { Database } from '../../platform/db/index.ts';
import { escapedText } from '../detail-sql.ts';
import type { UsageFilter, UsageGrouping } from '../request-filter.ts';
import { MAKERS_OF_KEYS, type PartsBy, partsOfLog } from '../usage-rows.ts';
import { addedUp, type SumPart, type UsageLine, type UsageSum } from '../usage-sums.ts';
import { archiveReasons } from './archive-reasons.ts';
import type { ArchivedDays } from './archived-days.ts';
import { MAX_PARTS, type SumsBy } from './log-archive.ts';

/** Each function answers undefined when no day of the span has moved to the archive. */
export interface ArchivedUsage {
  series(
    filter: UsageFilter,
    span: 'hour' | 'day',
    timeZone: string,
  ): Promise<(UsageSum & { start: number })[] | undefined>;
  breakdown(
    filter: UsageFilter,
    by: UsageGrouping,
    limit: number,
  ): Promise<(UsageSum & { value: string })[] | undefined>;
  total(filter: UsageFilter): Promise<UsageSum | undefined>;
  /** The lines of a usage file, added to those that the log has. */
  lines(filter: UsageFilter, known: readonly UsageLine[]): Promise<UsageLine[] | undefined>;
}

export function createArchivedUsage(db: Database, archived: ArchivedDays): ArchivedUsage {
  const makersOf = async ({ accountId }: UsageFilter) =>
    new Map((await MAKERS_OF_KEYS.rows(db, [accountId])).map(({ id, maker }) => [id, maker]));

  const ofArchive = async (filter: UsageFilter, by: SumsBy): Promise<SumPart[] | undefined> => {
    if (!(await archived.hasSome(filter.from, filter.to - 1))) return undefined;
    const { accountId, from, to, model, endpoint, user, tag } = filter;
    const keyIds = filter.member === undefined ? undefined : keysOf(await makersOf(filter), filter.member);
    const asked = filter.keyId === undefined ? keyIds : [filter.keyId].filter((id) => keyIds?.includes(id) ?? true);
    return archived.sums({ by, accountId, from, to, keyIds: asked, model, endpoint, user, tag });
  };

  const sums = async (filter: UsageFilter, by: PartsBy): Promise<Map<string, UsageSum> | undefined> => {
    const old = await ofArchive(filter, by === 'member' ? 'key' : by);
    if (old === undefined) return undefined;
    const named = by === 'member' ? byMaker(old, await makersOf(filter)) : by === 'user' ? old.map(escaped) : old;
    const parts = [...(await partsOfLog(db, filter, by, MAX_PARTS + 1)), ...named];
    if (parts.length > MAX_PARTS) throw new GatewayError('invalid_request', { reason: archiveReasons.tooMany });
    return addedUp(parts);
  };

  return {
    async series(filter, span, timeZone) {
      const found = await sums(filter, { span, timeZone });
      return (
        found && [...found].map(([start, sum]) => ({ start: Number(start), ...sum })).sort((a, b) => a.start - b.start)
      );
    },
    async breakdown(filter, by, limit) {
      const found = await sums(filter, by);
      return (
        found &&
        [...found]
          .map(([value, sum]) => ({ value, ...sum }))
          .sort(mostExpensiveFirst)
          .slice(0, limit)
      );
    },
    async total(filter) {
      return (await sums(filter, 'all'))?.get('');
    },
    async lines(filter, known) {
      const old = await ofArchive(filter, 'line');
      if (old === undefined) return undefined;
      const all = [...known.map((line) => ({ ...line, value: nameOfLine(line) })), ...old.map(lineOf)];
      const lines = new Map<string, UsageLine>();
      for (const { value, ...line } of all) lines.set(value, together(lines.get(value), line));
      return [...lines].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
    },
  };
}

function keysOf(makers: ReadonlyMap<string, string>, wanted: string): string[] {
  return [...makers].filter(([, maker]) => maker === wanted).map(([id]) => id);
}

/** A key that no longer exists counts for nobody, as in the log. */
function byMaker(parts: readonly SumPart[], makers: ReadonlyMap<string, string>): SumPart[] {
  return parts.flatMap((part) => {
    const value = makers.get(part.value);
    return value === undefined ? [] : [{ ...part, value }];
  });
}

/** End users' names are escaped as the log escapes them. */
function escaped(part: SumPart): SumPart {
  return { ...part, value: escapedText(part.value) };
}

function mostExpensiveFirst(a: UsageSum & { value: string }, b: UsageSum & { value: string }): number {
  if (a.cost !== b.cost) return a.cost < b.cost ? 1 : -1;
  return b.requests - a.requests || (a.value < b.value ? -1 : 1);
}

function nameOfLine({ keyId, model, endpoint, tags }: UsageLine): string {
  return JSON.stringify([keyId, model, endpoint, tags]);
}

function lineOf(part: SumPart): UsageLine & { value: string } {
  const [keyId, model, endpoint, tags] = parseTrustedJson(part.value) as [string, string, string, string[]];
  const { requests, errors, inputTokens, cachedTokens, outputTokens, cost } = part;
  const line = { keyId, model, endpoint, tags, requests, errors, inputTokens, cachedTokens, outputTokens, cost };
  return { ...line, value: nameOfLine(line) };
}

function together(known: UsageLine | undefined, line: UsageLine): UsageLine {
  if (!known) return line;
  return {
    ...known,
    requests: known.requests + line.requests,
    errors: known.errors + line.errors,
    inputTokens: known.inputTokens + line.inputTokens,
    cachedTokens: known.cachedTokens + line.cachedTokens,
    outputTokens: known.outputTokens + line.outputTokens,
    cost: known.cost + line.cost,
  };
}
