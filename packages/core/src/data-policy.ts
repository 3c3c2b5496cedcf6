/**
 * What a provider does with the data it receives, and what a caller demands of it. A policy that nobody states
 * satisfies no demand: unknown does not mean good.
 */

/** A type, not an interface, because it is assigned to JSON values too. */
export type DataPolicy = {
  /** Whether the provider trains models with the data; null: not stated. */
  training: boolean | null;
  /** For how many days the provider keeps the data; 0: it does not keep it; null: not stated. */
  retention_days: number | null;
  /** Where the data is processed: a country code of ISO 3166 in small letters, or `eu`; null: not stated. */
  region: string | null;
};

export const NOTHING_STATED: DataPolicy = { training: null, retention_days: null, region: null };

/** Null and false mean: nothing is demanded. */
export interface DataDemand {
  noTraining: boolean;
  maxRetentionDays: number | null;
  regions: readonly string[] | null;
}

export const MAX_RETENTION_DAYS = 3_650;
export const MAX_REGIONS = 50;

const EU = 'at be bg cy cz de dk ee es fi fr gr hr hu ie it lt lu lv mt nl pl pt ro se si sk'.split(' ');

export function isRegion(text: string): boolean {
  return text.length === 2 && /^[a-z]{2}$/.test(text);
}

/** True when the demand asks for anything at all. */
export function demands({ noTraining, maxRetentionDays, regions }: DataDemand): boolean {
  return noTraining || maxRetentionDays !== null || regions !== null;
}

/** The demand that is satisfied only by what satisfies both. */
export function bothDemands(a: DataDemand, b: DataDemand): DataDemand {
  const days = [a.maxRetentionDays, b.maxRetentionDays].filter((one) => one !== null);
  return {
    noTraining: a.noTraining || b.noTraining,
    maxRetentionDays: days.length === 0 ? null : Math.min(...days),
    regions: bothRegions(a.regions, b.regions),
  };
}

function bothRegions(a: readonly string[] | null, b: readonly string[] | null): readonly string[] | null {
  if (a === null || b === null) return a ?? b;
  return [...new Set([...a.filter((one) => liesIn(one, b)), ...b.filter((one) => liesIn(one, a))])];
}

export type UnmetData = 'training' | 'retention' | 'region';

/** Returns the first part of the demand that the policy does not satisfy; undefined when it satisfies all of it. */
export function unmetData(demand: DataDemand, policy: DataPolicy): UnmetData | undefined {
  const { training, retention_days: days, region } = policy;
  if (demand.noTraining && training !== false) return 'training';
  if (demand.maxRetentionDays !== null && (days === null || days > demand.maxRetentionDays)) return 'retention';
  if (demand.regions !== null && !liesIn(region, demand.regions)) return 'region';
  return undefined;
}

/** A country of the European Union lies in `eu`; `eu` lies in none of its countries. */
function liesIn(region: string | null, regions: readonly string[]): boolean {
  if (region === null) return false;
  return regions.includes(region) || (regions.includes('eu') && EU.includes(region));
}
