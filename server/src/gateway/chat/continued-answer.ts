/**
 * A stream that another route continues when its provider breaks off (`svc.routing.continue`, ADR 0068). Its delivery
 * sees one stream of one provider: one start, one text, one end, and the usage that the customer is charged. The costs
 * of the further providers stand on their attempts.
 */
import { GatewayError } from '../../core/errors.ts';
import type { ChatEvent, MeteredEvent, PartDelta } from '../../core/events.ts';
import { isRetryable, type UpstreamFailure } from '../../core/failure.ts';
import { estimateTokens } from '../../core/token-estimate.ts';
import { completionTokens, hasKnownOutput, inputSide, outputSide, promptTokens, type Usage } from '../../core/usage.ts';
import type { Target } from '../../routing/index.ts';
import type { AttemptEnd, WinningAttempt } from '../attempt/attempt-tracker.ts';
import type { Gateway } from '../gateway.ts';
import { endedByBlock } from '../settle/running.ts';
import { chatQuestion } from './ask-chat.ts';
import { goesOn, withBegunTurn } from './begun-turn.ts';
import { Meter } from './meter.ts';
import { type BegunAnswer, eventsOf } from './open-reply.ts';
import type { PaidChat } from './read-chat.ts';
import { wholeCharacters } from './seam.ts';
import { Splice } from './splice.ts';
import { ToldAnswer } from './told-answer.ts';
import type { AnswerStream, EventBatch } from './upstream-stream.ts';

/** After this many breaks the answer is given up. */
const MAX_CONTINUATIONS = 2;

const SAID_WHOLE: AnswerStream = { ended: true, next: () => Promise.resolve(null), abort: () => undefined };

type BegunStream = Extract<BegunAnswer, { kind: 'stream' }>;

export class ContinuedAnswer implements AnswerStream {
  readonly first: EventBatch;
  readonly #paid: PaidChat;
  readonly #gw: Gateway;
  readonly #onContinued: () => void;
  readonly #delivered = new ToldAnswer();
  #winner: WinningAttempt<BegunAnswer>;
  #stream: AnswerStream;
  /** The current provider's text: all of it, and the delivered part. */
  #heard = new Meter();
  #shown = new Meter();
  /** Undefined until the first cut. */
  #splice: Splice | undefined;
  #continuations = 0;
  /** The input that is charged, and the output that earlier providers delivered. */
  #charged: Usage['buckets'] = {};
  #toldBefore = 0;
  /** The tokens that the begun turn adds to the input. */
  #begunTokens = 0;
  #cut: UpstreamFailure | undefined;
  /** The first half of a surrogate pair. */
  #half = '';
  #isOver = false;
  #isDone = false;

  constructor(
    paid: PaidChat,
    winner: WinningAttempt<BegunAnswer>,
    { stream, first }: BegunStream,
    onContinued: () => void,
    gw: Gateway,
  ) {
    this.#paid = paid;
    this.#winner = winner;
    this.#stream = stream;
    this.#onContinued = onContinued;
    this.#gw = gw;
    this.first = this.#handOn(first.events);
  }

  get ended(): boolean {
    return this.#isOver || (this.#cut === undefined && this.#stream.ended);
  }

  next(): Promise<EventBatch | null> {
    if (this.#cut) return this.#goOn(this.#cut);
    return this.#stream.next().then((batch) => batch && this.#handOn(batch.events));
  }

  abort(reason: string): void {
    this.#isOver = true;
    this.#stream.abort(reason);
  }

  /** Usage of the current provider. */
  done(end: AttemptEnd): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#winner.done(end);
    if (this.#splice) this.#winner.costs(this.#made());
  }

  #handOn(heard: readonly MeteredEvent[]): EventBatch {
    const events: MeteredEvent[] = [];
    for (const event of heard) {
      if (event.type === 'failure' && this.#mayGoOn(event.failure)) {
        this.#cut = event.failure;
        this.#half = '';
        break;
      }
      this.#heard.see(event);
      for (const told of this.#splice?.eventsOf(event) ?? [event]) this.#tell(told, events);
      const stop = this.#splice?.stoppedBy;
      if (stop === undefined) continue;
      this.abort('stop sequence');
      this.#finish({ kind: 'stop', stopSequence: stop }, events);
      break;
    }
    return { frames: [], events, ends: [] };
  }

  #tell(event: MeteredEvent, events: MeteredEvent[]): void {
    if (event.type === 'part-end' && this.#half !== '') this.#tellHalf(event.part, events);
    if (this.#splice && event.type === 'response-end') events.push(this.#usage());
    let delivered = event;
    if (event.type === 'part-delta') {
      delivered = this.#inWholeCharacters(event);
      if (delivered !== event && delivered.text === '') return;
    }
    if (this.#splice && event.type === 'usage-update') delivered = this.#usage();
    this.#delivered.see(delivered);
    this.#shown.see(delivered);
    events.push(delivered);
  }

  /**
   * Half a surrogate pair waits for its other half: should the provider break off here, the next one sends the whole
   * character.
   */
  #inWholeCharacters(event: PartDelta): PartDelta {
    if (event.part !== this.#delivered.openText) return event;
    const text = this.#half + event.text;
    const whole = wholeCharacters(text);
    this.#half = text.slice(whole.length);
    return whole === event.text ? event : { type: 'part-delta', part: event.part, text: whole };
  }

  #tellHalf(part: number, events: MeteredEvent[]): void {
    const half: PartDelta = { type: 'part-delta', part, text: this.#half };
    this.#half = '';
    this.#delivered.see(half);
    this.#shown.see(half);
    events.push(half);
  }

  #mayGoOn({ kind }: UpstreamFailure): boolean {
    const { run, targets } = this.#paid;
    if (this.#continuations >= MAX_CONTINUATIONS || !this.#delivered.canGoOn || !isRetryable(kind)) return false;
    return this.#hasTime() && targets.some((target) => goesOn(target, run));
  }

  #hasTime(): boolean {
    const { run } = this.#paid;
    if (run.cancellation.cancelled || endedByBlock(run)) return false;
    return this.#gw.clock.monotonicMs() < run.deadlineAtMs;
  }

  async #goOn(failure: UpstreamFailure): Promise<EventBatch> {
    this.#cut = undefined;
    const { run, admitted } = this.#paid;
    const made = this.#made();
    const usage = this.#usage();
    this.done(failure);
    this.#charged = inputSide(usage.usage);
    this.#toldBefore = completionTokens(usage.usage);
    this.#heard = new Meter();
    this.#shown = new Meter();
    const events: MeteredEvent[] = [usage];
    const left = admitted.outputLimit === undefined ? undefined : admitted.outputLimit - this.#toldBefore;
    if (left !== undefined && left <= 0) {
      this.#isOver = true;
      this.#finish({ kind: 'length' }, events);
      return { frames: [], events, ends: [] };
    }
    const winner = await this.#another(left);
    if (!winner) {
      this.#isOver = true;
      return { frames: [], events: [...events, { type: 'failure', failure }], ends: [] };
    }
    run.firstUsage ??= made;
    return this.#follow(winner);
  }

  /** Tries the remaining routes in order until one continues. */
  async #another(outputLimit: number | undefined): Promise<WinningAttempt<BegunAnswer> | undefined> {
    const { asked, run, admitted } = this.#paid;
    const prompt = withBegunTurn(asked.prompt, this.#delivered.text);
    this.#begunTokens = estimateTokens(this.#delivered.text);
    const paid: PaidChat = {
      ...this.#paid,
      asked: { ...asked, prompt, relayBody: undefined, marked: undefined },
      admitted: { ...admitted, outputLimit },
    };
    run.isContinuing = true;
    for (let target = this.#nextTarget(); target && this.#hasTime(); target = this.#nextTarget()) {
      const tried = await paid.askRoute(paid, target, { question: chatQuestion }, run.cancellation, this.#gw);
      if (tried instanceof GatewayError || !('done' in tried)) continue;
      run.plan.push(
        `continuation: its provider broke off after ${this.#delivered.text.length} characters, ${target.id} goes on`,
      );
      return tried;
    }
    return undefined;
  }

  #nextTarget(): Target | undefined {
    const { run, targets } = this.#paid;
    const fit = targets.filter((target) => goesOn(target, run));
    const next = fit.find((target) => this.#gw.router.isUsable(target)) ?? fit[0];
    if (next) targets.splice(targets.indexOf(next), 1);
    return next;
  }

  #follow(winner: WinningAttempt<BegunAnswer>): EventBatch {
    const { begun } = winner;
    this.#continuations++;
    this.#winner = winner;
    this.#isDone = false;
    this.#splice = new Splice(this.#delivered, this.#paid.asked.request.sampling.stop ?? []);
    this.#onContinued();
    if (begun.kind === 'whole') {
      this.#stream = SAID_WHOLE;
      return this.#handOn(eventsOf(begun.response).events);
    }
    this.#stream = begun.stream;
    return this.#handOn(begun.first.events);
  }

  /** Ends the answer in place of its provider. */
  #finish(finish: { kind: 'stop' | 'length'; stopSequence?: string }, events: MeteredEvent[]): void {
    const { openText } = this.#delivered;
    const ends: ChatEvent[] = openText === undefined ? [] : [{ type: 'part-end', part: openText }];
    for (const event of [...ends, { type: 'response-end' as const, finishes: [finish] }]) this.#tell(event, events);
  }

  /** What the customer is charged so far: the input once, and the delivered output. */
  #usage(): { type: 'usage-update'; usage: Usage } {
    const { likelyInput } = this.#paid.run;
    const { usage: reported } = this.#heard;
    const isFirst = this.#splice === undefined;
    const input = isFirst ? knownInput(reported) : this.#charged;
    const counted = this.#shown.countOutput();
    const output =
      this.#toldBefore + (isFirst ? Math.max(counted, outputOf(reported)) : this.#shownOf(reported, counted));
    return {
      type: 'usage-update',
      usage: {
        // Buckets of an earlier report are part of the sum by now.
        buckets: { ...(input ?? { inputFresh: likelyInput }), ...noneOf(this.#heard.usage), output },
        source: 'estimated',
      },
    };
  }

  /**
   * The charged part of a further provider's report: without its reasoning and without repeated text, which the reader
   * never got.
   */
  #shownOf(reported: Usage | undefined, counted: number): number {
    if (!reported || !hasKnownOutput(reported)) return counted;
    const unseen = (reported.buckets.reasoning ?? 0) + estimateTokens(this.#splice?.dropped ?? '');
    return Math.max(0, completionTokens(reported) - unseen);
  }

  /** What the current provider did, for its own cost. */
  #made(): Usage {
    const { usage: reported, finish } = this.#heard;
    const input = knownInput(reported);
    if (reported && input && finish !== undefined && hasKnownOutput(reported)) return reported;
    const output = Math.max(this.#heard.countOutput(), outputOf(reported));
    const inputFresh = this.#paid.run.likelyInput + this.#begunTokens;
    return { buckets: { ...(input ?? { inputFresh }), output }, source: 'estimated' };
  }
}

/** A report of zero input is no report. */
function knownInput(reported: Usage | undefined): Usage['buckets'] | undefined {
  return reported && promptTokens(reported) > 0 ? inputSide(reported) : undefined;
}

function outputOf(reported: Usage | undefined): number {
  return reported ? completionTokens(reported) : 0;
}

function noneOf(reported: Usage | undefined): Usage['buckets'] {
  if (!reported) return {};
  return Object.fromEntries(Object.keys(outputSide(reported)).map((bucket) => [bucket, 0]));
}
