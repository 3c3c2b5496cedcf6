/**
 * The part of a stream that its reader never sees: the reasoning, and what was generated after the reader had left. The
 * first is charged, by the provider's report or by its time; the second never is.
 */
import type { Clock } from '../../core/clock.ts';
import type { MeteredEvent } from '../../core/events.ts';
import type { Usage } from '../../core/usage.ts';
import type { Ending } from '../../ledger/index.ts';
import type { RequestOutput } from '../settle/request-output.ts';
import type { Run } from '../settle/run.ts';
import type { ThoughtTime } from '../settle/thought-time.ts';
import { reportedThought, usageUntilLeft } from '../settle/usage-until-left.ts';
import { Meter } from './meter.ts';
import type { EventBatch } from './upstream-stream.ts';

const OUTPUT: ReadonlySet<MeteredEvent['type']> = new Set(['part-start', 'part-delta', 'unread-text']);

export class HiddenOutput {
  readonly #run: Run;
  readonly #meter: Meter;
  readonly #clock: Clock;
  readonly #thought: ThoughtTime;
  /** Counts what came after the reader had left. */
  #after: Meter | undefined;
  #reportedBefore: Usage | undefined;

  /** `meter` counts what was shown. */
  constructor(run: Run, thought: ThoughtTime, meter: Meter, clock: Clock) {
    this.#run = run;
    this.#thought = thought;
    this.#meter = meter;
    this.#clock = clock;
  }

  /** Called when we begin to wait for the provider. */
  waits(): void {
    this.#thought.waits(this.#clock.monotonicMs());
  }

  hears({ events }: EventBatch): void {
    this.#thought.hears(events, this.#clock.monotonicMs());
  }

  /** The reader has left, and the stream is only read for the usage report at its end. */
  hearsUnread(batch: EventBatch): void {
    if (!this.#after) {
      this.#after = new Meter();
      this.#reportedBefore = this.#meter.usage;
      this.#thought.leave(this.#run.leftOrNowMs);
    }
    this.hears(batch);
    for (const event of batch.events) {
      (OUTPUT.has(event.type) ? this.#after : this.#meter).see(event);
    }
  }

  /** Completes the meter's usage. After a failure that is not the client's, no more is charged than what arrived. */
  complete(made: RequestOutput, ended: Ending): RequestOutput {
    const now = this.#clock.monotonicMs();
    const thought = this.#thought;
    if (ended.by === 'client') thought.leave(this.#run.leftOrNowMs);
    return {
      ...made,
      reported: ended.by === 'client' ? this.#reportedUntilLeft(now) : made.reported,
      counted: ended.by === 'client' || ended.by === 'finish' ? () => this.#counted(now) : made.counted,
      thought: (reported) => ({
        tokens: reportedThought(reported, this.#meter.countOutput() * (1 - thought.reasoningShare)),
        ms: thought.thoughtBeforeSpeakingMs,
      }),
    };
  }

  #counted(now: number): Usage {
    const output = this.#meter.countOutput();
    const shown = { reasoning: output * this.#thought.reasoningShare, all: output };
    const reasoning = this.#run.hiddenTokens(this.#thought.thoughtMs(now), shown);
    const buckets: Usage['buckets'] = { inputFresh: this.#run.likelyInput, output };
    if (reasoning > 0) buckets.reasoning = reasoning;
    return { buckets, source: 'estimated' };
  }

  #reportedUntilLeft(now: number): Usage | undefined {
    const { usage } = this.#meter;
    if (!usage || !this.#after || usage === this.#reportedBefore) return usage;
    return usageUntilLeft(usage, {
      shownBefore: this.#meter.countOutput(),
      shownAfter: this.#after.countOutput(),
      thoughtShare: this.#thought.shareUntilLeft(now),
    });
  }
}
