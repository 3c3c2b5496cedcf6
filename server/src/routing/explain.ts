/** The plan in words, for receipts: what a reader needs to understand why a request went where it went. */
import type { Candidate } from './candidate.ts';

export function explainCandidate({ target, facts, modelRank, sticky }: Candidate, index: number): string {
  let line = `${index + 1}. ${target.summary}, ${facts.inFlight} running`;
  if (facts.p50Ms !== undefined) line += `, first event ${Math.round(facts.p50Ms)} ms`;
  const flaws = target.route.conformance?.failed;
  if (flaws && flaws.size > 0) line += `, fails ${[...flaws].join(' ')}`;
  if (sticky) line += ', holds the prompt cache';
  if (modelRank > 0) line += `, fallback model ${target.model.id}`;
  if (facts.saturated) line += ', provider full';
  if (facts.state === 'half-open') line += ', probe after failures';
  if (facts.state === 'probing') line += ', being probed by another request';
  if (facts.state === 'open') {
    line += `, circuit open for ${Math.ceil(facts.openForMs / 1000)} s${facts.cause ? ` (${facts.cause})` : ''}`;
  }
  return line;
}
