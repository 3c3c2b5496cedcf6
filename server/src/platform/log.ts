/** The little of a logger that this code needs; pino fits. Fields first, so that a message is a constant one can search for. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
