/**
 * What a request's end means for money. The one place that decides it, as a pure function of facts, so that the whole
 * table can be tested. The facts say what was produced and delivered; who hung up first never decides a charge.
 *
 *   ended by    produced / delivered            state          charged
 *   finish      output, or tokens reported      completed      yes
 *   finish      no text, call or output token   completed      no: an empty answer is free
 *   client      output or a finish was produced client_closed  yes, what was generated
 *   client      a provider had the request      client_closed  yes, its input and what was thought unseen
 *   client      nothing yet                     client_closed  no
 *   upstream    finish seen and delivered       interrupted    yes, the whole answer arrived
 *   upstream    some output delivered           interrupted    yes, unless charge_interrupted is off
 *   upstream    nothing delivered               failed         no (also a time-out)
 *   us          as upstream: our fault is never more expensive than theirs
 *   block       some output delivered           interrupted    yes, what was generated: staff closed the account's access
 *   block       nothing delivered               failed         no
 *   hold        what was held is used up        completed      yes, what was generated
 *
 * Two ends are decided elsewhere, because no run of a request is left to ask. A refused request is free: gateway/settle/record.ts
 * writes its row. So is one whose process died, because nobody knows what was delivered: `killedRecord` in
 * requestlog/record-text.ts.
 */
import { type Money, money, ZERO } from '../core/money.ts';
import { type CostLine, costLines, type Price, sumOf } from '../core/price.ts';
import {
  completionTokens,
  hasKnownOutput,
  inputSide,
  isInputBucket,
  outputSide,
  ranTools,
  toolSide,
  type Usage,
} from '../core/usage.ts';
import type { RequestState } from '../requestlog/index.ts';

export type Ending =
  | { by: 'finish' }
  /** The client hung up before the end. */
  | { by: 'client' }
  /** Wallet or caps refused to pay for more, so the provider was stopped. */
  | { by: 'hold' }
  | { by: 'upstream' }
  /** Staff closed the account's access while it ran. */
  | { by: 'block' }
  /** A fault of our own. */
  | { by: 'us' };

export interface OutcomeFacts {
  ended: Ending;
  /** The provider said why it stopped. */
  finishSeen: boolean;
  /** A provider had the request and had not failed. */
  handedOver: boolean;
  /** Some output arrived from the provider. */
  generated: boolean;
  /** Some output was sent on to the client. */
  delivered: boolean;
  /** What the provider reported so far. */
  reported: Usage | undefined;
  /** Our own count of input and of the output so far; called only when it is needed, since counting is not free. */
  counted: () => Usage;
  /** Operator setting `charge_interrupted`. */
  chargeInterrupted: boolean;
}

export interface Outcome {
  state: RequestState;
  charge: boolean;
  /** The usage that is charged; when nothing is charged, what the provider reported, for the receipt. */
  usage: Usage | null;
}

export function decideOutcome(input: OutcomeFacts): Outcome {
  const facts = withoutEmptyReport(input);
  const { ended, finishSeen, generated, delivered } = facts;
  switch (ended.by) {
    case 'finish':
      if (isEmpty(facts)) return { state: 'completed', charge: false, usage: facts.reported ?? null };
      return { state: 'completed', charge: true, usage: usageToCharge(facts) };
    case 'hold':
      return { state: 'completed', charge: true, usage: usageToCharge(facts) };
    case 'client':
      if (generated || finishSeen || facts.handedOver)
        return { state: 'client_closed', charge: true, usage: usageToCharge(facts) };
      return { state: 'client_closed', charge: false, usage: facts.reported ?? null };
    case 'block':
      if (!delivered) return { state: 'failed', charge: false, usage: facts.reported ?? null };
      return { state: 'interrupted', charge: true, usage: usageToCharge(facts) };
    case 'upstream':
    case 'us':
      if (!delivered) return { state: 'failed', charge: false, usage: facts.reported ?? null };
      if (finishSeen || facts.chargeInterrupted)
        return { state: 'interrupted', charge: true, usage: usageToCharge(facts) };
      return { state: 'interrupted', charge: false, usage: facts.reported ?? null };
  }
}

/**
 * A report of nothing but zeros beside an answer is ignored: some providers always send it. One side of a report is
 * ignored when it says zero and we counted more, because no prompt is empty, and neither is an output that arrived.
 */
function withoutEmptyReport(facts: OutcomeFacts): OutcomeFacts {
  const { generated, reported } = facts;
  if (!generated || !reported) return facts;
  const { buckets } = reported;
  const hasUnits = Object.values(buckets).some((units) => units > 0);
  if (!hasUnits) return { ...facts, reported: undefined };
  if (hasKnownOutput(reported) && completionTokens(reported) === 0 && completionTokens(facts.counted()) > 0)
    return { ...facts, reported: { ...reported, buckets: { ...inputSide(reported), ...toolSide(reported) } } };
  const hasOutputOnly = !Object.entries(buckets).some(([bucket, units]) => units > 0 && isInputBucket(bucket));
  if (buckets.inputFresh === 0 && hasOutputOnly)
    return { ...facts, reported: { ...reported, buckets: { ...outputSide(reported), ...toolSide(reported) } } };
  return facts;
}

/** Tools that the provider ran are billed whether or not words followed. */
function isEmpty({ generated, reported }: OutcomeFacts): boolean {
  return !generated && (reported === undefined || (completionTokens(reported) === 0 && !ranTools(reported)));
}

export interface Charge {
  cost: Money;
  formula: CostLine[];
}

/** The cost and its formula; an uncharged outcome costs nothing, not even the price per request. */
export function chargeOf(outcome: Outcome, price: Price): Charge {
  if (!outcome.charge || !outcome.usage) return { cost: ZERO, formula: [] };
  const formula = costLines(price, outcome.usage);
  return { cost: sumOf(formula), formula };
}

const WHOLE = 100n;

/** An answer from the cache costs this percentage of its price now; the receipt says so in a line of its own. */
export function chargeOfCached({ cost, formula }: Charge, percent: number): Charge {
  const charged = (cost * BigInt(percent)) / WHOLE;
  const rest = charged - cost;
  if (rest === 0n) return { cost, formula };
  const line: CostLine = { bucket: 'cached', units: 1, unitPrice: rest, amount: money(rest) };
  return { cost: money(charged), formula: [...formula, line] };
}

/** What the wallet cannot pay is not charged; the receipt says so in a line of its own. */
export function limitCharge(charge: Charge, payable: Money): Charge {
  if (payable >= charge.cost) return charge;
  const rest = payable - charge.cost;
  const line: CostLine = { bucket: 'unpaid', units: 1, unitPrice: rest, amount: money(rest) };
  return { cost: payable, formula: [...charge.formula, line] };
}

/**
 * The provider's own count where it is known to be complete, otherwise ours, for input and output separately. A report
 * from the middle of a stream (Anthropic sends the input and a first output count at its start) is only a lower bound
 * for output, so the larger count is used.
 */
function usageToCharge({ reported, finishSeen, counted }: OutcomeFacts): Usage {
  const inputKnown = reported !== undefined && hasKnownInput(reported);
  if (inputKnown && finishSeen && hasKnownOutput(reported)) return reported;
  const ours = counted();
  if (!reported) return { ...ours, source: 'estimated' };
  // An endpoint without output (embeddings) counts none.
  const outputKnown =
    !hasKnownOutput(ours) ||
    (hasKnownOutput(reported) && (finishSeen || completionTokens(reported) >= completionTokens(ours)));
  if (inputKnown && outputKnown) return reported;
  const mixed: Usage = {
    buckets: {
      ...inputSide(inputKnown ? reported : ours),
      ...outputSide(outputKnown ? reported : ours),
      ...toolSide(reported),
    },
    source: 'estimated',
  };
  if (reported.raw !== undefined) mixed.raw = reported.raw;
  return mixed;
}

function hasKnownInput({ buckets }: Usage): boolean {
  for (const bucket in buckets) if (isInputBucket(bucket)) return true;
  return false;
}
