/**
 * When something goes to Redis: one call at a time. What comes while it is under way goes with the next: all takes, and
 * before them all changes. Changes wait a moment for a take to go with, since nobody waits for them. So under load a
 * call serves many requests.
 * When a call finds no answer in time the membership ends, and whoever waits here is sent away to look again.
 */
import type { ChangeBatch, ChangeOutbox } from './outbox.ts';
import type { SharedTake, TakeAnswer } from './packing.ts';
import type { ReplicaMembership } from './replica-membership.ts';
import type { ScriptCalls } from './script-calls.ts';

/** A script runs alone: what is in one call makes everybody else wait. */
const MOST_TAKES_PER_CALL = 100;
const NOTHING: ChangeBatch = { changes: [], posted: [] };
/** What comes later does not wait for a call that takes longer: its own deadline has not begun yet. */
const PATIENCE_MS = 20;
/** Long enough to meet a take on a busy replica, shorter than a customer needs to come back with the next request. */
const CHANGES_WAIT_MS = 2;

export interface CourierParts {
  calls: Pick<ScriptCalls, 'decide'>;
  membership: Pick<ReplicaMembership, 'shared' | 'member' | 'lost'>;
  outbox: ChangeOutbox;
  /** A take that happened after its caller had given up. */
  onLate(request: SharedTake, answer: TakeAnswer): void;
}

/** The name it was asked under, which may count no more by now. */
export interface Told {
  member: string;
  answer: TakeAnswer;
}

interface Waiting {
  request: SharedTake;
  /** Undefined: not asked, or nobody knows what came of it. */
  tell(told: Told | undefined): void;
}

export class Courier {
  readonly #parts: CourierParts;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> | undefined;

  constructor(parts: CourierParts) {
    this.#parts = parts;
  }

  /** Undefined when the situation has changed: the membership knows. */
  take(request: SharedTake): Promise<Told | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ request, tell: resolve });
      this.#departSoon();
    });
  }

  /** While Redis is away they stay where they are, or are covered by the next registration. */
  changesWait(): void {
    if (this.#timer !== undefined || this.#scheduled || this.#underWay !== undefined) return;
    if (this.#parts.membership.shared) this.#timer = setTimeout(() => this.#depart(), CHANGES_WAIT_MS);
  }

  /** Until no change waits any more, or Redis is away. */
  async drain(): Promise<void> {
    const { membership, outbox } = this.#parts;
    while (membership.shared && (this.#underWay !== undefined || !outbox.empty)) {
      this.#depart();
      await this.#underWay;
    }
  }

  /** At the end of this turn of the event loop, with everything that the turn brings. */
  #departSoon(): void {
    if (this.#scheduled || this.#underWay !== undefined) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#depart();
    });
  }

  #depart(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#underWay !== undefined) return;
    if (!this.#parts.membership.shared) {
      for (const take of this.#waiting.splice(0)) take.tell(undefined);
      return;
    }
    const { outbox } = this.#parts;
    const takes = this.#waiting.splice(0);
    const calls: Promise<void>[] = [];
    let batch = outbox.collect();
    // More than one call can carry goes ahead in calls of its own: a take must see every change before it.
    for (; takes.length > 0 && !outbox.empty; batch = outbox.collect()) calls.push(this.#send([], batch));
    if (takes.length === 0 && batch.changes.length === 0) return;
    calls.push(this.#send(takes.slice(0, MOST_TAKES_PER_CALL), batch));
    for (let i = MOST_TAKES_PER_CALL; i < takes.length; i += MOST_TAKES_PER_CALL) {
      calls.push(this.#send(takes.slice(i, i + MOST_TAKES_PER_CALL), NOTHING));
    }
    this.#underWay = withPatience(calls.length === 1 ? calls[0] : Promise.all(calls)).then(() => {
      this.#underWay = undefined;
      if (this.#waiting.length > 0) this.#departSoon();
      else if (!this.#parts.outbox.empty) this.changesWait();
    });
  }

  /** Never rejects: a failure ends the membership, and whoever waits looks again. */
  async #send(takes: Waiting[], { changes, posted }: ChangeBatch): Promise<void> {
    const { calls, membership, outbox, onLate } = this.#parts;
    const { member } = membership;
    const requests = takes.map((take) => take.request);
    try {
      const answers = await calls.decide(member, changes, requests, (late) => {
        for (const [i, answer] of late.entries()) onLate(requests[i] as SharedTake, answer);
      });
      for (const [i, take] of takes.entries()) take.tell({ member, answer: answers[i] as TakeAnswer });
    } catch (error) {
      outbox.putBack(posted);
      membership.lost(member, error);
      for (const take of takes) take.tell(undefined);
    }
  }
}

function withPatience(calls: Promise<unknown> | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE_MS);
    const ended = (): void => {
      clearTimeout(timer);
      resolve();
    };
    if (calls === undefined) ended();
    else calls.then(ended, ended);
  });
}
