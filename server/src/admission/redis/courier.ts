/**
 * Decides when something goes to Redis: one call at a time. Everything that comes while a call is under way goes with the next
 * one: first all changes, then all takes. Since nobody waits for a change, it waits a moment for a take to travel with. So under
 * load one call serves many requests. When a call gets no answer in time the membership ends, and every take that waits here is
 * answered with undefined, so that its caller looks again.
 */
import type { ChangeBatch, ChangeOutbox } from './outbox.ts';
import type { SharedTake, TakeAnswer } from './packing.ts';
import type { ReplicaMembership } from './replica-membership.ts';
import type { ScriptCalls } from './script-calls.ts';

/** Redis runs nothing else while a script runs, so the size of one call limits how long all others wait. */
const MOST_TAKES_PER_CALL = 100;
const NOTHING: ChangeBatch = { changes: [], posted: [] };
/** A call that takes longer than this no longer holds back the next one, whose own deadline begins when it is sent. */
const PATIENCE_MS = 20;
/** Long enough that on a busy replica a take comes along; shorter than a customer needs to send the next request. */
const CHANGES_WAIT_MS = 2;

export interface CourierParts {
  calls: Pick<ScriptCalls, 'decide'>;
  membership: Pick<ReplicaMembership, 'shared' | 'life' | 'lost'>;
  outbox: ChangeOutbox;
  /** Hears of a take that Redis carried out after its caller had given up. */
  onLate(request: SharedTake, answer: TakeAnswer): void;
}

/** An answer, and the name of the life that asked: the replica may have another by now. */
export interface Told {
  life: string;
  answer: TakeAnswer;
}

interface Waiting {
  request: SharedTake;
  /** Undefined when Redis was not asked, or when it is not known what it did. */
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

  /** Undefined when Redis could not decide; the membership then tells whether this replica is cut off. */
  take(request: SharedTake): Promise<Told | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ request, tell: resolve });
      this.#departSoon();
    });
  }

  /** Sends waiting changes soon. While Redis is away they stay in the outbox, and the next registration covers them. */
  changesWait(): void {
    if (this.#timer !== undefined || this.#scheduled || this.#underWay !== undefined) return;
    if (this.#parts.membership.shared) this.#timer = setTimeout(() => this.#depart(), CHANGES_WAIT_MS);
  }

  /** Resolves when no change waits any more, or Redis is away. */
  async drain(): Promise<void> {
    const { membership, outbox } = this.#parts;
    while (membership.shared && (this.#underWay !== undefined || !outbox.empty)) {
      this.#depart();
      await this.#underWay;
    }
  }

  /** Leaves at the end of this turn of the event loop, with everything that the turn brings. */
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
    // Changes beyond what one call can carry go ahead in calls of their own, because a take must see every change before it.
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

  /** Never rejects: a failure ends the membership, and everybody who waits is answered with undefined. */
  async #send(takes: Waiting[], { changes, posted }: ChangeBatch): Promise<void> {
    const { calls, membership, outbox, onLate } = this.#parts;
    const { life } = membership;
    const requests = takes.map((take) => take.request);
    try {
      const answers = await calls.decide(life, changes, requests, (late) => {
        for (const [i, answer] of late.entries()) onLate(requests[i] as SharedTake, answer);
      });
      for (const [i, take] of takes.entries()) take.tell({ life, answer: answers[i] as TakeAnswer });
    } catch (error) {
      outbox.putBack(posted);
      membership.lost(life, error);
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
