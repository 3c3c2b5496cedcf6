/** What a handler may give back: the declared result of its route, as it is or with something beside it. */

import type { ResultOf, RouteDescription } from '@dargah/api/describe-route.ts';
import type { Answer } from '../../core/answer.ts';
import type { Headers } from '../reply.ts';

/** A JSON answer with headers of its own, such as a cookie, or with a status that only some calls have. */
export class AnswerWithHeaders<Value> {
  readonly value: Value;
  readonly headers: Headers;
  readonly status: number | undefined;

  constructor(value: Value, headers: Headers, status?: number) {
    this.value = value;
    this.headers = headers;
    this.status = status;
  }
}

/** An answer that is not JSON: a stream of events, a file. */
export class RawAnswer {
  readonly answer: Answer;

  constructor(answer: Answer) {
    this.answer = answer;
  }
}

/**
 * The compiler checks every handler against its description, so that the published document and the browser's types are
 * true.
 */
export type HandlerResult<D extends RouteDescription> = D extends { readonly streams: 'on demand' }
  ? RawAnswer | ResultOf<D>
  : WholeOrRaw<D>;

type WholeOrRaw<D extends RouteDescription> = D extends { readonly resultType: string } | { readonly streams: true }
  ? RawAnswer
  : ResultOf<D> | AnswerWithHeaders<ResultOf<D>>;
