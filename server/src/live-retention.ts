/**
 * How long what is kept is kept: the file decides, or else what operators stored, or else the default. Read before anything is
 * deleted: a start that knew only its defaults would drop what somebody wanted to keep.
 */
import { RETENTION_FIELDS } from '@dargah/core/fields/index.ts';
import type { Settings } from './config/index.ts';
import type { Json } from './core/json.ts';
import type { Background } from './platform/background.ts';
import type { SettingStore } from './platform/setting-store.ts';

const LIMITS = {
  log_retention_days: 'logRetentionDays',
  prompt_log_max_days: 'promptLogMaxDays',
  response_store_keep_ms: 'responseStoreKeepMs',
  uptime_history_days: 'uptimeHistoryDays',
} as const satisfies Record<keyof typeof RETENTION_FIELDS, keyof Settings['limits']>;
type RetentionField = keyof typeof LIMITS;
const RETENTION_NAMES = Object.keys(LIMITS) as RetentionField[];

/** Writes what is stored into the limits, which everybody reads at every use. */
export function applyRetention({ limits, namedInFile }: Settings, stored: ReadonlyMap<string, Json>): void {
  for (const name of RETENTION_NAMES) {
    if (namedInFile.includes(name)) continue;
    const { min, max, initial } = RETENTION_FIELDS[name];
    const value = stored.get(name);
    const isValid = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
    limits[LIMITS[name]] = isValid ? value : initial;
  }
}

export function retentionInForce({ limits }: Settings): Record<RetentionField, number> {
  return Object.fromEntries(RETENTION_NAMES.map((name) => [name, limits[LIMITS[name]]])) as Record<
    RetentionField,
    number
  >;
}

/** Settings of this process with limits of its own, which follow what operators change. */
export async function withLiveRetention(
  { settings: store, background }: { settings: SettingStore; background: Background },
  file: Settings,
): Promise<Settings> {
  const live = { ...file, limits: { ...file.limits } };
  const follow = (stored: ReadonlyMap<string, Json>) => applyRetention(live, stored);
  const read = async () => follow(await store.all());
  follow(await store.atStart());
  store.watch((key) => {
    if (key === undefined || RETENTION_NAMES.some((name) => name === key)) background.detach(read(), 'retention');
  });
  return live;
}
