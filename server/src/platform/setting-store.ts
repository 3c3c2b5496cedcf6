/**
 * Operator settings: few and small, changed while the service runs; every replica is told. Each reader checks the value it reads.
 */
import type { Clock } from '../core/clock.ts';
import type { RandomBytes } from '../core/ids.ts';
import type { Json } from '../core/json.ts';
import { createChangeRecorder } from './audit-log.ts';
import type { Database } from './db/index.ts';
import { LOCKED_SETTING, SETTINGS, STORE_SETTING } from './setting-rows.ts';

export interface SettingStore {
  all(): Promise<ReadonlyMap<string, Json>>;
  /** The same for callers that read at the start and then `watch`: they share one read, until a change arrives. */
  atStart(): Promise<ReadonlyMap<string, Json>>;
  set(key: string, value: Json, actor: string): Promise<void>;
  /** `changed` is called with the setting's key, or with nothing when any may have changed. */
  watch(changed: (key: string | undefined) => void): () => void;
}

export function createSettingStore(options: { db: Database; clock: Clock; randomBytes: RandomBytes }): SettingStore {
  const { db, clock } = options;
  const changed = createChangeRecorder(options, 'setting');
  const all = async () => {
    const rows = await SETTINGS.rows(db);
    return new Map(rows.map(({ key, value }) => [key, value]));
  };
  let shared: Promise<ReadonlyMap<string, Json>> | undefined;
  const forget = () => {
    shared = undefined;
  };
  // First of all subscribers: whoever hears of a change reads again.
  db.subscribe('setting', forget, forget);
  return {
    all,
    atStart() {
      if (shared === undefined) {
        shared = all();
        shared.catch(forget);
      }
      return shared;
    },
    async set(key, value, actor) {
      await db.transaction(async (tx) => {
        const present = await LOCKED_SETTING.first(tx, [key]);
        // Written as text: the driver would turn a JSON array into an SQL array.
        await STORE_SETTING.run(tx, [key, JSON.stringify(value), new Date(clock.now())]);
        // Digests are left out of the audit log, because the audit log is shown to people.
        const trace = { before: { [key]: present?.value ?? null }, after: { [key]: value } };
        await changed(tx, actor, 'setting.set', key, key.endsWith('_digest') ? {} : trace);
      });
      forget();
    },
    watch: (changed) => db.subscribe('setting', changed, () => changed(undefined)),
  };
}
