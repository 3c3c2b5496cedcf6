/**
 * The phases of the service: starting (no requests yet), open, leaving (told to end, still accepts everything), parting
 * (no new connections, each open one gets one more answer) and closed (nothing is answered).
 */
const PHASES = ['starting', 'open', 'leaving', 'parting', 'closed'] as const;
type Phase = (typeof PHASES)[number];

export class ServicePhase {
  #now: Phase = 'starting';

  readonly starting = (): boolean => this.#now === 'starting';
  readonly leaving = (): boolean => this.#isAtLeast('leaving');
  readonly parting = (): boolean => this.#isAtLeast('parting');
  readonly closed = (): boolean => this.#now === 'closed';

  /** Phases never go back: a service that is ended while it starts stays ended. */
  enter(phase: Phase): void {
    if (!this.#isAtLeast(phase)) this.#now = phase;
  }

  #isAtLeast(phase: Phase): boolean {
    return PHASES.indexOf(this.#now) >= PHASES.indexOf(phase);
  }
}
