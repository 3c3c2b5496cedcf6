/** The options of a safe fetch, and the errors it throws. */

export interface FetchLimits {
  maxBytes: number;
  totalMs: number;
  /** Media types, `image/*` allowed; undefined takes any. */
  types?: readonly string[];
  /** Called before so many bytes are read; nothing more is read when it rejects. */
  reserve?(bytes: number): Promise<void>;
}

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

export type FetchRefusal =
  | 'bad-url'
  | 'scheme'
  | 'forbidden-address'
  | 'dns'
  | 'too-many-redirects'
  | 'status'
  | 'too-large'
  | 'type'
  | 'timeout'
  | 'network';

export class SafeFetchError extends Error {
  readonly reason: FetchRefusal;

  constructor(reason: FetchRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}
