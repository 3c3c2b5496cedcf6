/** Admission cannot answer: the request must be refused as overloaded (503), never waved through. */
export class AdmissionUnavailable extends Error {
  readonly reason: 'posted-unknown' | 'undecided' | 'too-many-counters' | 'lease-spent';

  constructor(reason: AdmissionUnavailable['reason'], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'AdmissionUnavailable';
    this.reason = reason;
  }
}
