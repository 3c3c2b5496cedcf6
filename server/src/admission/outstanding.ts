/** What one process has taken from one budget and the ledger has not booked yet. */

export class Outstanding {
  /** What running requests hold. */
  #held = 0n;
  /** Settled, waiting to be posted. Below zero for a moment when the ledger was faster than `settle`. */
  #spent = 0n;
  #openHolds = 0;

  get total(): bigint {
    return this.#held + this.spent;
  }

  /** The part that is charged: the journal has it, the ledger not yet. */
  get spent(): bigint {
    return this.#spent > 0n ? this.#spent : 0n;
  }

  /** True when dropping the counter would lose nothing. */
  get idle(): boolean {
    return this.#openHolds === 0 && this.#spent === 0n;
  }

  hold(amount: bigint): void {
    this.#openHolds++;
    this.#held += amount;
  }

  settle(held: bigint, spent: bigint): void {
    this.#openHolds--;
    this.#held -= held;
    this.#spent += spent;
    this.#forgetStrayReleases();
  }

  release(amount: bigint): void {
    this.#spent -= amount;
    this.#forgetStrayReleases();
  }

  /**
   * A release of something that was never held here (a charge recovered from a former process, a counter whose cap was set only
   * later) leaves `spent` below zero, which would hide the next settled request. While no hold is open, a negative value can only
   * come from that, so it is reset.
   */
  #forgetStrayReleases(): void {
    if (this.#openHolds === 0 && this.#spent < 0n) this.#spent = 0n;
  }
}
