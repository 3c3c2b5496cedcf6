/**
 * One connection for all tabs of a browser that follow the same: a browser has only six to a host over HTTP/1.1. The tab that holds
 * the lock has the connection and passes on what it hears; when it closes, the browser gives the lock to the next one. A tab that a
 * phone put to sleep keeps its lock, so the lock of one that does not answer is taken.
 */
import { type Following, follow, SILENCE_MS } from './follow.ts';

type Told =
  | { what: 'anybody' }
  | { what: 'here'; connected: boolean }
  | { what: 'missed' }
  | { what: 'event'; name: string; data: unknown };

/** Tabs in the background are slow, but they do answer. */
const ANSWER_MS = 5_000;

/** Tabs with the same `name` may share a connection. Returns a function that stops it. */
export function followTogether(name: string, address: string, following: Following): () => void {
  // Browsers have locks only over https and on their own machine.
  const { locks } = navigator as { locks?: LockManager };
  return locks === undefined ? follow(address, following) : new Tab(locks, name, address, following).begin();
}

class Tab {
  readonly #locks: LockManager;
  readonly #name: string;
  readonly #address: string;
  readonly #following: Following;
  readonly #channel: BroadcastChannel;
  /** Exists only while this tab leads. */
  #stopLeading: (() => void) | undefined;
  #connected = false;
  #waiting = new AbortController();
  #doubt: ReturnType<typeof setTimeout> | undefined;
  #heardAt = Date.now();
  #takes = false;
  #isOver = false;

  constructor(locks: LockManager, name: string, address: string, following: Following) {
    this.#locks = locks;
    this.#name = name;
    this.#address = address;
    this.#following = following;
    this.#channel = new BroadcastChannel(name);
  }

  begin(): () => void {
    this.#channel.onmessage = ({ data }: MessageEvent<Told>) => this.#hear(data);
    document.addEventListener('visibilitychange', this.#askWhenSeen);
    void this.#queue();
    return () => {
      this.#isOver = true;
      clearTimeout(this.#doubt);
      document.removeEventListener('visibilitychange', this.#askWhenSeen);
      this.#waiting.abort();
      this.#stopLeading?.();
      this.#channel.close();
      this.#following.connected(false);
    };
  }

  async #queue(): Promise<void> {
    await this.#hold({ ifAvailable: true }, false);
    while (!this.#isOver) {
      this.#waiting = new AbortController();
      this.#ask();
      await this.#hold({ signal: this.#waiting.signal }, true);
      if (this.#takes && !this.#isOver) await this.#hold({ steal: true }, true);
    }
  }

  /** Until this tab stops, or another one took the lock from it while it slept. */
  async #hold(options: LockOptions, isHeir: boolean): Promise<void> {
    try {
      await this.#locks.request(this.#name, options, (lock) => (lock === null ? undefined : this.#lead(isHeir)));
    } catch {
      if (this.#stopLeading === undefined || this.#isOver) return;
      this.#stopLeading();
      this.#following.missed();
    }
  }

  #lead(isHeir: boolean): Promise<void> | undefined {
    if (this.#isOver) return undefined;
    clearTimeout(this.#doubt);
    this.#takes = false;
    const { missed, connected, refused, on } = this.#following;
    const both = (name: string, act: (data: unknown) => void) => (data: unknown) => {
      act(data);
      this.#tell({ what: 'event', name, data });
    };
    const told: Following = {
      missed: () => {
        missed();
        this.#tell({ what: 'missed' });
      },
      connected: (is) => {
        this.#connected = is;
        connected(is);
        // The end of its own connection is not reported, because another tab then leads.
        if (this.#stopLeading !== undefined) this.#tell({ what: 'here', connected: is });
      },
      refused,
      on: {
        beat: () => this.#tell({ what: 'here', connected: true }),
        ...Object.fromEntries(Object.entries(on).map(([name, act]) => [name, both(name, act)])),
      },
    };
    return new Promise((release) => {
      // Nobody listened between the last leader and this one.
      const end = follow(this.#address, told, isHeir);
      this.#stopLeading = () => {
        this.#stopLeading = undefined;
        end();
        release();
      };
    });
  }

  #tell(told: Told): void {
    this.#channel.postMessage(told);
  }

  #hear(told: Told): void {
    if (told.what === 'anybody') {
      if (this.#stopLeading !== undefined) this.#tell({ what: 'here', connected: this.#connected });
      return;
    }
    if (this.#stopLeading !== undefined) return;
    // This tab was asleep.
    if (Date.now() - this.#heardAt > 2 * SILENCE_MS) this.#following.missed();
    this.#heardAt = Date.now();
    clearTimeout(this.#doubt);
    this.#doubt = setTimeout(this.#ask, SILENCE_MS);
    if (told.what === 'missed') this.#following.missed();
    else if (told.what === 'here') this.#following.connected(told.connected);
    else this.#following.on[told.name]?.(told.data);
  }

  readonly #ask = (): void => {
    if (this.#stopLeading !== undefined) return;
    clearTimeout(this.#doubt);
    this.#doubt = setTimeout(() => {
      this.#takes = true;
      this.#waiting.abort();
    }, ANSWER_MS);
    this.#tell({ what: 'anybody' });
  };

  readonly #askWhenSeen = (): void => {
    if (document.visibilityState === 'visible') this.#ask();
  };
}
