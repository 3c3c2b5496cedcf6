/**
 * What a model endpoint gives to the paid path (run-paid-request.ts), which owns all the rest. An endpoint is one object, made
 * once: its kind of model, its reading, its estimate, its question and its delivery are enough. What is optional here only some
 * endpoints need. See ADR 0037.
 */
import type { Model } from '../../catalog/index.ts';
import type { Answer } from '../../core/answer.ts';
import type { AnyRequest } from '../../core/chat.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import type { Usage } from '../../core/usage.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { GuaranteeTold } from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import type { Admitted } from '../admit/admit.ts';
import type { CacheTerms } from '../admit/cache-of.ts';
import type { Estimate } from '../admit/estimate.ts';
import type { RequestPlan } from '../admit/plan.ts';
import type { ModelRules } from '../admit/resolve.ts';
import type { WinningAttempt } from '../attempt/attempt-tracker.ts';
import type { Asker } from '../attempt/question.ts';
import type { tryRoute } from '../attempt/try-route.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import type { RequestOutput, Settlement } from '../settle/request-output.ts';
import type { Run } from '../settle/run.ts';

/** A request as its endpoint has read it. An endpoint adds what its own steps must know. */
export interface Asked {
  readonly request: AnyRequest & { readonly user?: string | undefined };
  /** The client wants a stream: the log says so, and routes have separate latencies for it. */
  readonly stream: boolean;
  /** The provider is stopped when the reader leaves. A reader with an Idempotency-Key comes back, so its answer is finished. */
  readonly stopsWhenGone: boolean;
  /** Its answer may come from the response cache. */
  readonly cache?: CacheTerms | undefined;
  /** Its answer is judged before anything goes out (`judge`). */
  readonly judged?: boolean;
}

/** A request that was let in: its money is reserved, and its run settles it. */
export interface PaidRequest<A extends Asked> {
  readonly asked: A;
  readonly run: Run;
  readonly estimate: Estimate;
  readonly admitted: Admitted;
  /** The plan's targets that were not tried yet. */
  readonly targets: Target[];
  /** Asks one more route, for an answer that another provider can continue (ADR 0068). */
  readonly askRoute: typeof tryRoute;
}

/** A whole answer: the path settles it between `produced` and `answer`. */
export interface WholeDelivery<A extends Asked, Begun, Result> {
  produced(paid: PaidRequest<A>, begun: Begun): RequestOutput;
  answer(paid: PaidRequest<A>, winner: WinningAttempt<Begun>, settlement: Settlement, gw: Gateway): Result;
}

/**
 * An answer that goes out while it is made. It settles itself before its last byte, because its usage is known only
 * then.
 */
export interface StreamDelivery<A extends Asked, Begun, Result> {
  /** Returns undefined for an answer that is delivered as a whole. */
  open(paid: PaidRequest<A>, winner: WinningAttempt<Begun>, gw: Gateway): Result | undefined;
  /** For a stream whose first content is late: the client's 200 goes out before a route has answered. */
  late?(paid: PaidRequest<A>, committing: Promise<WinningAttempt<Begun>>, gw: Gateway): Result;
}

/** What the judge says of an answer. */
export interface JudgedAnswer<Begun> {
  /** The answer, repaired where it had to be. */
  begun: Begun;
  told: GuaranteeTold;
  /** Its usage, reported or counted by us. */
  usage(): Usage;
}

/** An answer on its way out, watched. */
export interface Recording<Begun> {
  begun: Begun;
  /** The answer as a text, once it has ended well; undefined where it must not be given to another request. */
  text(usage: Usage): string | undefined;
}

/** How answers of an endpoint are kept for equal requests. */
export interface CachedAnswers<A extends Asked, Begun> {
  /** Digest of everything that changes the answer; requests of one account with the same digest are equal. */
  digest(paid: PaidRequest<A>, plan: RequestPlan): string;
  record(begun: Begun, gw: Gateway): Recording<Begun>;
  /** Returns undefined for a text that this version cannot read. */
  read(text: string): Begun | undefined;
}

/** `Source`: what the endpoint's `read` needs beside the call; passed with each request. */
export interface PaidEndpoint<Source, A extends Asked, Begun, Result = Answer>
  extends ModelRules<A['request']>,
    Asker<PaidRequest<A>, Begun> {
  /** Decodes the request, once its caller is known and could pay for parsing a large body. */
  read(call: Call, key: KeySnapshot, source: Source, gw: Gateway): MaybePromise<A>;
  /** An answer that costs nothing (a dry run); undefined for a request that is to be run. */
  answerFree?(asked: A, call: Call, key: KeySnapshot, gw: Gateway): Promise<Result> | undefined;
  /** The model of a request that names none by itself (`auto`); undefined for every other. */
  chooseModel?(asked: A, call: Call, key: KeySnapshot, gw: Gateway): Model | undefined;
  /** The routes to try; by default those of the model, without a conversation and without fallback models. */
  plan?(asked: A, model: Model, key: KeySnapshot, gw: Gateway): MaybePromise<RequestPlan>;
  /** Tokens and money: what is reserved before anything is sent. */
  estimate(asked: A, plan: RequestPlan, key: KeySnapshot, gw: Gateway): MaybePromise<Estimate>;
  /** Work between admission and the call to a provider; when it fails, nothing is charged. */
  prepare?(paid: PaidRequest<A>, gw: Gateway): Promise<void> | undefined;
  /** Called when the reader of an answer with `stopsWhenGone` has left; by default the provider is stopped at once. */
  readerLeft?(run: Run, gw: Gateway): void;
  /** How its answers are kept for equal requests; absent: they are not. */
  readonly cached?: CachedAnswers<A, Begun>;
  /** For requests that are `judged`: whether the answer is what was promised. `told.state` is then kept, broken, unmet or not_covered. */
  judge?(paid: PaidRequest<A>, winner: WinningAttempt<Begun>, gw: Gateway): Promise<JudgedAnswer<Begun>>;
  readonly whole?: WholeDelivery<A, Begun, Result>;
  readonly stream?: StreamDelivery<A, Begun, Result>;
}
