/** Who may come in: nobody before the start is done, no new connection once the process is told to end, at last nothing. */
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
