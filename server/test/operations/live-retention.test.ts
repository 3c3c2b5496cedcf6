/** How long things are kept follows what operators stored, before anything is deleted, and never what the file fixes. */
import { expect, it } from 'vitest';
import { NO_FILE } from '../../src/config/index.ts';
import type { Json } from '../../src/core/json.ts';
import { withLiveRetention } from '../../src/live-retention.ts';
import { createBackground } from '../../src/platform/background.ts';
import { recordedLog } from '../services/silent-log.ts';

function stage(stored: Record<string, Json>, namedInFile: string[] = []) {
  const values = new Map(Object.entries(stored));
  let told: ((key: string | undefined) => void) | undefined;
  const background = createBackground(recordedLog());
  const all = async () => new Map(values);
  const settings = {
    all,
    atStart: all,
    set: async () => undefined,
    watch(changed: (key: string | undefined) => void) {
      told = changed;
      return () => undefined;
    },
  };
  const file = { ...NO_FILE.settings, namedInFile, limits: { ...NO_FILE.settings.limits, uptimeHistoryDays: 30 } };
  return {
    live: () => withLiveRetention({ settings, background }, file),
    file,
    async change(key: string, value: Json) {
      values.set(key, value);
      told?.(key);
      await background.drain(10_000);
    },
  };
}

it('is in force when the start goes on, and follows a change', async () => {
  const { live, file, change } = stage({ log_retention_days: 3_650 });
  const { limits } = await live();
  expect(limits.logRetentionDays).toBe(3_650);
  await change('log_retention_days', 400);
  expect(limits.logRetentionDays).toBe(400);
  // Other services of this process have their own.
  expect(file.limits.logRetentionDays).toBe(90);
});

it('keeps what the file fixes, and the default for a value that cannot be', async () => {
  const { live } = stage({ uptime_history_days: 7, log_retention_days: 0, prompt_log_max_days: 'long' }, [
    'uptime_history_days',
  ]);
  const { limits } = await live();
  expect(limits).toMatchObject({ uptimeHistoryDays: 30, logRetentionDays: 90, promptLogMaxDays: 365 });
});
