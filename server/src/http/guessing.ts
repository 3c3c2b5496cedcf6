/** Limits on repeated attempts at this API, narrowest first. */

import { DAY_MS, HOUR_MS } from '@dargah/core/time-spans.ts';
import { callerOf, widestNetworkOf } from '../core/caller-network.ts';
import type { AttemptLimit } from '../people/index.ts';

/** Secrets of invitations must not be guessed, at any address. */
export function invitationGuesses(address: string): AttemptLimit[] {
  return fromThere('invitation', address, 100, 300);
}

export function passkeyChallenges(address: string): AttemptLimit[] {
  return fromThere('passkey', address, 300, 1_000);
}

/** A person may have codes sent to numbers that are not theirs yet. */
export function methodCodes(personId: string): AttemptLimit[] {
  return [
    { counter: `method-code:${personId}`, max: 5, spanMs: HOUR_MS },
    { counter: `method-code:${personId}`, max: 15, spanMs: DAY_MS },
  ];
}

/**
 * A gift code has 100 bits and cannot be guessed; the limit bounds the work, and noise that would hide a real attack.
 */
export function giftCodeGuesses(accountId: string, address: string): AttemptLimit[] {
  return [
    { counter: `gift-wrong:${accountId}`, max: 20, spanMs: HOUR_MS },
    ...fromThere('gift-wrong', address, 60, 200),
  ];
}

/** Each replay makes us call an address of the customer's choice. */
export function webhookReplays(accountId: string, deliveryId: string): AttemptLimit[] {
  return [
    { counter: `replay:${deliveryId}`, max: 5, spanMs: HOUR_MS },
    { counter: `replays:${accountId}`, max: 60, spanMs: HOUR_MS },
  ];
}

/**
 * An invitation is a message at our cost to a number that the inviter chooses, with text that the inviter partly
 * writes.
 */
export function invitationOrders(to: string, accountId: string, actor: string): AttemptLimit[] {
  return [
    { counter: `invite-again:${accountId} ${to}`, max: 3, spanMs: DAY_MS },
    { counter: `invite-by:${actor}`, max: 20, spanMs: DAY_MS },
    { counter: `invite-of:${accountId}`, max: 30, spanMs: DAY_MS },
    { counter: `invite-to:${to}`, max: 10, spanMs: DAY_MS },
  ];
}

function fromThere(what: string, address: string, perCaller: number, perNetwork: number): AttemptLimit[] {
  return [
    { counter: `${what}-from:${callerOf(address)}`, max: perCaller, spanMs: HOUR_MS },
    { counter: `${what}-net:${widestNetworkOf(address)}`, max: perNetwork, spanMs: HOUR_MS },
  ];
}
