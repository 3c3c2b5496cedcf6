/**
 * What a provider does with what it is sent, as data, and what a caller demands of it. What nobody states satisfies no demand: an
 * unknown policy is not a good one.
 */

/** A type and no interface, because it is JSON too. */
export type DataPolicy = {
  /** Whether models are trained with it; null: not stated. */
  training: boolean | null;
  /** Days that it is kept, 0: not at all; null: not stated. */
  retention_days: number | null;
  /** Where it is processed, as two small letters of ISO 3166 or `eu`; null: not stated. */
  region: string | null;
};

export const NOTHING_STATED: DataPolicy = { training: null, retention_days: null, region: null };

/** Null and false demand nothing. */
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

/** Whether a demand asks for anything. */
export function demands({ noTraining, maxRetentionDays, regions }: DataDemand): boolean {
  return noTraining || maxRetentionDays !== null || regions !== null;
}

/** What satisfies both. */
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

/** The first part of the demand that the policy does not satisfy; undefined: it satisfies all of it. */
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
