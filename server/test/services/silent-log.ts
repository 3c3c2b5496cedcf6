import type { Log } from '../../src/platform/log.ts';

export interface RecordedLog extends Log {
  lines: { level: string; message: string }[];
}

/** Keeps what was logged, for tests that ask; prints nothing. */
export function recordedLog(): RecordedLog {
  const lines: RecordedLog['lines'] = [];
  const at = (level: string) => (_fields: object, message: string) => {
    lines.push({ level, message });
  };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
