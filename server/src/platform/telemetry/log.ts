/** Structured lines on standard output. Every line about a request carries its `requestId`; no line carries a prompt. */
import { type DestinationStream, type Logger, pino } from 'pino';
import { Redactor } from './redact.ts';

export interface ProcessLog {
  log: Logger;
  /** Redacts this text in every later line. */
  registerSecret(text: string): void;
  /** Writes the lines that are still buffered; call it before the process ends. */
  flush(): void;
}

export interface LogOptions {
  level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Standard output when absent. */
  destination?: DestinationStream;
}

/** Fields that may carry what people wrote or a secret, wherever somebody puts a whole object into a line. */
const HIDDEN_FIELDS = [
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'cookie',
  'secret',
  'password',
  'messages',
  'prompt',
  'input',
  'content',
  'body',
];

export function createLog(options: LogOptions): ProcessLog {
  const redactor = new Redactor();
  const paths = HIDDEN_FIELDS.flatMap((field) => [`["${field}"]`, `*["${field}"]`, `*.*["${field}"]`]);
  const log = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths, censor: '…' },
      hooks: { streamWrite: (line) => redactor.redact(line) },
    },
    options.destination ?? pino.destination({ fd: 1, sync: false }),
  );
  return { log, registerSecret: (text) => redactor.registerSecret(text), flush: () => log.flush() };
}
