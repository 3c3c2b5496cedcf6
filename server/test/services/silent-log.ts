import { inspect } from 'node:util';
import type { Log } from '../../src/platform/log.ts';

export interface RecordedLog extends Log {
  lines: { level: string; message: string; text: string }[];
}

/** Keeps what was logged, fields and all, for tests that ask; prints nothing. */
export function recordedLog(): RecordedLog {
  const lines: RecordedLog['lines'] = [];
  const at = (level: string) => (fields: object, message: string) => {
    lines.push({ level, message, text: inspect(fields, { depth: 8, breakLength: Number.POSITIVE_INFINITY }) });
  };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
