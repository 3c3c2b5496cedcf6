/**
 * What an endpoint asks one route, as a value: the request to its provider, and how the reply is read. The endpoint
 * makes it and the attempt sends it, so no endpoint calls back into the attempts.
 */
import type { UpstreamFailure } from '../../core/failure.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import type { UpstreamBody, UpstreamReply } from '../../platform/upstream/index.ts';
import type { Target } from '../../routing/index.ts';
import type { Gateway } from '../gateway.ts';
import type { Run } from '../settle/run.ts';
import type { AskedOfProvider } from './provider-http.ts';

export interface Failed {
  failure: UpstreamFailure;
  status: number | null;
}

/** `begun`: the answer up to the commit point. */
export type AttemptResult<Begun> = { begun: Begun } | Failed;

/** `next`: the same route must be asked again before it has answered. */
export type Opened<Begun> = AttemptResult<Begun> | { next: Question<Begun> };

export interface Question<Begun> extends AskedOfProvider {
  headers: Record<string, string>;
  body: UpstreamBody;
  /** What had to be left out for this provider; the client is told in `x-svc-warnings`. */
  warnings: readonly string[];
  /** The client's own headers, where its body is relayed. */
  relayHeaders?: Record<string, string> | undefined;
  decodeFailure(status: number, headers: Record<string, string>, text: string): UpstreamFailure;
  /** Reads a reply of status 2xx far enough to know whether it is an answer. */
  open(reply: UpstreamReply, contentType: string): MaybePromise<Opened<Begun>>;
}

/** An endpoint as the attempts see it. */
export interface Asker<Paid extends { readonly run: Run }, Begun> {
  /**
   * A failure means that this route cannot be asked. Throws GatewayError when the route's protocol cannot carry the
   * request.
   */
  question(paid: Paid, target: Target, gw: Gateway): MaybePromise<Question<Begun> | Failed>;
}
