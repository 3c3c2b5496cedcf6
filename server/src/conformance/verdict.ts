/** Turns the answer of a route into a result. Pure. */
import type { ProbeVerdict } from '@dargah/core/probes.ts';
import type { Model, Route } from '../catalog/index.ts';
import type { ChatRequest } from '../core/chat.ts';
import type { FailureKind, UpstreamFailure } from '../core/failure.ts';
import { type Money, money, ZERO } from '../core/money.ts';
import { costOf } from '../core/price.ts';
import { estimateTokens } from '../core/token-estimate.ts';
import type { Usage } from '../core/usage.ts';
import type { ConformanceProbe, ProbeAnswer } from './probe.ts';

/** A route as the port answers it (gateway/probe/ask-route.ts). */
export type ProbedAnswer =
  | ({ kind: 'answered' } & ProbeAnswer)
  | { kind: 'failed'; failure: UpstreamFailure }
  | { kind: 'busy' };

export interface Judged {
  verdict: ProbeVerdict;
  detail: string | null;
}

/** Failures that show what the route cannot do; all others mean that it could not be asked. */
const TELLING: ReadonlySet<FailureKind> = new Set(['client-fault', 'context-too-long', 'malformed', 'empty']);

export function judgeAnswers(probe: ConformanceProbe, answers: readonly ProbedAnswer[]): Judged {
  const given: ProbeAnswer[] = [];
  for (const answer of answers) {
    if (answer.kind === 'busy') return { verdict: 'unknown', detail: 'busy' };
    if (answer.kind === 'failed') return ofFailure(answer.failure);
    given.push(answer);
  }
  const fault = probe.check(given);
  return fault === undefined ? { verdict: 'passed', detail: null } : { verdict: 'failed', detail: fault };
}

function ofFailure({ kind, status }: UpstreamFailure): Judged {
  const detail = status === undefined ? kind : `${kind} (${status})`;
  return { verdict: TELLING.has(kind) ? 'failed' : 'unknown', detail };
}

const PICTURE_TOKENS = 1_500;
/** Answers of probes are short, but a model that reasons first writes more. */
const LIKELY_OUTPUT = 400;

function likelyInput({ messages, tools }: ChatRequest): number {
  let tokens = tools.length * 100;
  for (const { parts } of messages)
    for (const part of parts) tokens += part.kind === 'text' ? estimateTokens(part.text) : PICTURE_TOKENS;
  return tokens;
}

/** Where the cost of the route is unknown, the customer's price counts: the budget must hold all the same. */
function priceOf({ price }: Model, { cost }: Route) {
  return cost ?? price;
}

/** What asking will cost at most, as far as that can be known before. */
export function likelyCost(probe: ConformanceProbe, model: Model, route: Route): Money {
  let sum = 0n;
  for (const request of probe.requests) {
    const output = Math.min(request.maxOutputTokens ?? LIKELY_OUTPUT, LIKELY_OUTPUT);
    sum += costOf(priceOf(model, route), usageOf(likelyInput(request), output));
  }
  return money(sum);
}

/** `spent`: counted against the budget; `cost`: known to be owed to the provider. */
export function costOfAnswers(
  probe: ConformanceProbe,
  answers: readonly ProbedAnswer[],
  model: Model,
  route: Route,
): { spent: Money; cost: Money } {
  let spent = 0n;
  let cost = 0n;
  for (const [at, answer] of answers.entries()) {
    // Refused or broken probes are free, as for customers (ADR 0045).
    if (answer.kind !== 'answered') continue;
    const { usage } = answer.response;
    const used = usage ?? usageOf(likelyInput(probe.requests[at] as ChatRequest), outputOf(answer));
    spent += costOf(priceOf(model, route), used);
    if (route.cost) cost += costOf(route.cost, used);
  }
  return { spent: spent === 0n ? ZERO : money(spent), cost: money(cost) };
}

function outputOf({ response }: ProbeAnswer): number {
  let tokens = 0;
  for (const part of response.choices[0]?.parts ?? []) {
    if (part.kind === 'text' || part.kind === 'reasoning') tokens += estimateTokens(part.text);
    else if (part.kind === 'tool-call') tokens += estimateTokens(part.name + part.arguments);
  }
  return tokens;
}

function usageOf(inputFresh: number, output: number): Usage {
  return { buckets: { inputFresh, output }, source: 'estimated' };
}
