/** The phases of the service: starting (no requests yet), open, leaving (no new connections) and closed (nothing is answered). */
export class ServicePhase {
  #state: 'starting' | 'open' | 'leaving' | 'closed' = 'starting';

  readonly starting = (): boolean => this.#state === 'starting';
  readonly leaving = (): boolean => this.#state === 'leaving' || this.#state === 'closed';
  readonly closed = (): boolean => this.#state === 'closed';

  open(): void {
    this.#state = 'open';
  }

  leave(): void {
    this.#state = 'leaving';
  }

  close(): void {
    this.#state = 'closed';
  }
}
