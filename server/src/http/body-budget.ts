/** One budget for the large bodies in memory at one moment, whoever sends them. */
export class BodyBudget {
  readonly #most: number;
  #taken = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  get taken(): number {
    return this.#taken;
  }

  open(): BodyShare {
    let own = 0;
    return {
      take: (bytes) => {
        if (this.#taken + bytes > this.#most) return false;
        this.#taken += bytes;
        own += bytes;
        return true;
      },
      release: () => {
        this.#taken -= own;
        own = 0;
      },
    };
  }
}

export interface BodyShare {
  /** False when the budget has no room for that many more bytes. */
  take(bytes: number): boolean;
  release(): void;
}
