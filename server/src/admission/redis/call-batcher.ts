/**
 * Decides when something goes to Redis: one call at a time. Everything that comes while a call is under way goes with the next
 * one: first all changes, then all reservations. Since nobody waits for a change, it waits a moment for a reservation to travel with. So under
 * load one call serves many requests. When a call gets no answer in time the membership ends, and every reservation that waits here is
 * answered with undefined, so that its caller looks again.
 */
import type { ChangeBatch, ChangeOutbox } from './outbox.ts';
import type { ReserveReply, SharedReservation } from './packing.ts';
import type { ReplicaMembership } from './replica-membership.ts';
import type { ScriptCalls } from './script-calls.ts';

/** Redis runs nothing else while a script runs, so the size of one call limits how long all others wait. */
const MAX_RESERVATIONS_PER_CALL = 100;
const NOTHING: ChangeBatch = { changes: [], posted: [] };
/** A call that takes longer than this no longer holds back the next one, whose own deadline begins when it is sent. */
const TIMEOUT_MS = 20;
/** Long enough that on a busy replica a reservation comes along; shorter than a customer needs to send the next request. */
const CHANGES_WAIT_MS = 2;

export interface CallBatcherParts {
  calls: Pick<ScriptCalls, 'decide'>;
  membership: Pick<ReplicaMembership, 'shared' | 'incarnation' | 'memory' | 'lost'>;
  outbox: ChangeOutbox;
  /** Hears of a reservation that Redis carried out after its caller had given up. */
  onLate(request: SharedReservation, reply: DecideReply): void;
}

/** An answer, and the name of the incarnation that asked: the replica may have another by now, and Redis another memory. */
export interface DecideReply {
  incarnation: string;
  memory: string | undefined;
  answer: ReserveReply;
}

interface Waiting {
  request: SharedReservation;
  /** Undefined when Redis was not asked, or when it is not known what it did. */
  tell(reply: DecideReply | undefined): void;
}

export class CallBatcher {
  readonly #parts: CallBatcherParts;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> | undefined;

  constructor(parts: CallBatcherParts) {
    this.#parts = parts;
  }

  /** Undefined when Redis could not decide; the membership then tells whether this replica is cut off. */
  reserve(request: SharedReservation): Promise<DecideReply | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ request, tell: resolve });
      this.#flushSoon();
    });
  }

  /** Sends waiting changes soon. While Redis is away they stay in the outbox, and the next registration covers them. */
  changesWait(): void {
    if (this.#timer !== undefined || this.#scheduled || this.#underWay !== undefined) return;
    if (this.#parts.membership.shared) this.#timer = setTimeout(() => this.#flush(), CHANGES_WAIT_MS);
  }

  /** Resolves when no change waits any more, or Redis is away. */
  async drain(): Promise<void> {
    const { membership, outbox } = this.#parts;
    while (membership.shared && (this.#underWay !== undefined || !outbox.empty)) {
      this.#flush();
      await this.#underWay;
    }
  }

  /** Leaves at the end of this turn of the event loop, with everything that the turn brings. */
  #flushSoon(): void {
    if (this.#scheduled || this.#underWay !== undefined) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#underWay !== undefined) return;
    if (!this.#parts.membership.shared) {
      for (const reserve of this.#waiting.splice(0)) reserve.tell(undefined);
      return;
    }
    const { outbox } = this.#parts;
    const reservations = this.#waiting.splice(0);
    const calls: Promise<void>[] = [];
    let batch = outbox.collect();
    // Changes beyond what one call can carry go ahead in calls of their own, because a reservation must see every change before it.
    for (; reservations.length > 0 && !outbox.empty; batch = outbox.collect()) calls.push(this.#send([], batch));
    if (reservations.length === 0 && batch.changes.length === 0) return;
    calls.push(this.#send(reservations.slice(0, MAX_RESERVATIONS_PER_CALL), batch));
    for (let i = MAX_RESERVATIONS_PER_CALL; i < reservations.length; i += MAX_RESERVATIONS_PER_CALL) {
      calls.push(this.#send(reservations.slice(i, i + MAX_RESERVATIONS_PER_CALL), NOTHING));
    }
    this.#underWay = withTimeout(calls.length === 1 ? calls[0] : Promise.all(calls)).then(() => {
      this.#underWay = undefined;
      if (this.#waiting.length > 0) this.#flushSoon();
      else if (!this.#parts.outbox.empty) this.changesWait();
    });
  }

  /** Never rejects: a failure ends the membership, and everybody who waits is answered with undefined. */
  async #send(reservations: Waiting[], { changes, posted }: ChangeBatch): Promise<void> {
    const { calls, membership, outbox, onLate } = this.#parts;
    const { incarnation, memory } = membership;
    const requests = reservations.map((reserve) => reserve.request);
    try {
      const answers = await calls.decide(incarnation, changes, requests, (late) => {
        for (const [i, answer] of late.entries())
          onLate(requests[i] as SharedReservation, { incarnation, memory, answer });
      });
      for (const [i, reserve] of reservations.entries())
        reserve.tell({ incarnation, memory, answer: answers[i] as ReserveReply });
    } catch (error) {
      outbox.putBack(posted);
      membership.lost(incarnation, error);
      for (const reserve of reservations) reserve.tell(undefined);
    }
  }
}

function withTimeout(calls: Promise<unknown> | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, TIMEOUT_MS);
    const ended = (): void => {
      clearTimeout(timer);
      resolve();
    };
    if (calls === undefined) ended();
    else calls.then(ended, ended);
  });
}
