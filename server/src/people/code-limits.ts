/**
 * How often codes may be requested and tried. Limits are listed narrowest first. Strangers are counted per network; a
 * network from which the person has signed in has limits of its own. The arithmetic is in ADR 0016.
 */

import { DAY_MS, HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import { callerOf, networkOf, widestNetworkOf } from '../core/caller-network.ts';
import type { AttemptLimit } from './attempts.ts';

/** Strangers wait no longer than this, for a message or for another try. */
export const STRANGERS_WAIT_MS = 10 * MINUTE_MS;
/**
 * After this many wrong tries by strangers a code works for known networks alone, and the next message carries another.
 */
export const MAX_WRONG_PER_CODE = 20;
const MONTH_MS = 30 * DAY_MS;

export interface CodeLimits {
  /** From one known network to one contact. */
  knownHourly: number;
  knownDaily: number;
  /** Messages that one caller, and one network, may cause at all contacts within ten minutes. */
  perCaller: number;
  perNetwork: number;
  /** Wrong tries of one known network at one contact. */
  wrongKnownHourly: number;
  wrongKnownDaily: number;
  /**
   * Wrong tries within ten minutes: of one unknown network at one contact, and of a caller and a network at all
   * contacts.
   */
  wrongPerContact: number;
  wrongPerCaller: number;
  wrongPerNetwork: number;
  /** Wrong tries of all strangers at short codes: of one contact, and of everybody. Beyond them codes are long. */
  shortDaily: number;
  shortMonthly: number;
  shortAllDaily: number;
}

export const CODE_LIMITS: CodeLimits = {
  knownHourly: 5,
  knownDaily: 15,
  perCaller: 20,
  perNetwork: 60,
  wrongKnownHourly: 10,
  wrongKnownDaily: 40,
  wrongPerContact: 5,
  wrongPerCaller: 20,
  wrongPerNetwork: 60,
  shortDaily: 60,
  shortMonthly: 120,
  shortAllDaily: 5_000,
};

/** Each network may request one message a minute, because the code of the first is still on its way. */
export function repeatedOrders(contact: string, address: string): AttemptLimit[] {
  return [{ counter: `code-now:${contact} ${networkOf(address)}`, max: 1, spanMs: MINUTE_MS }];
}

export function knownOrders(contact: string, address: string, limits: CodeLimits): AttemptLimit[] {
  const counter = `code-known:${contact} ${networkOf(address)}`;
  return [
    { counter, max: limits.knownHourly, spanMs: HOUR_MS },
    { counter, max: limits.knownDaily, spanMs: DAY_MS },
  ];
}

export function strangersOrders(address: string, limits: CodeLimits): AttemptLimit[] {
  return [
    { counter: `code-from:${callerOf(address)}`, max: limits.perCaller, spanMs: STRANGERS_WAIT_MS },
    { counter: `code-net:${widestNetworkOf(address)}`, max: limits.perNetwork, spanMs: STRANGERS_WAIT_MS },
  ];
}

export function knownTries(contact: string, address: string, limits: CodeLimits): AttemptLimit[] {
  const counter = `code-wrong-known:${contact} ${networkOf(address)}`;
  return [
    { counter, max: limits.wrongKnownHourly, spanMs: HOUR_MS },
    { counter, max: limits.wrongKnownDaily, spanMs: DAY_MS },
  ];
}

export function strangersTries(contact: string, address: string, limits: CodeLimits): AttemptLimit[] {
  const spanMs = STRANGERS_WAIT_MS;
  // An IPv6 /48 gets the tries of two /64s, not of 65,536; an IPv4 network already is one of the two.
  const wide = address.includes(':')
    ? [{ counter: `code-wrong:${contact} ${widestNetworkOf(address)}`, max: 2 * limits.wrongPerContact, spanMs }]
    : [];
  return [
    { counter: `code-wrong:${contact} ${networkOf(address)}`, max: limits.wrongPerContact, spanMs },
    ...wide,
    { counter: `code-wrong-from:${callerOf(address)}`, max: limits.wrongPerCaller, spanMs },
    { counter: `code-wrong-net:${widestNetworkOf(address)}`, max: limits.wrongPerNetwork, spanMs },
  ];
}

/** Each wrong try is one of a million at a short code, so all strangers together have few of them. */
export function shortCodeTries(contact: string, limits: CodeLimits): AttemptLimit[] {
  return [
    { counter: `code-short:${contact}`, max: limits.shortDaily, spanMs: DAY_MS },
    { counter: `code-short:${contact}`, max: limits.shortMonthly, spanMs: MONTH_MS },
    { counter: 'code-short-all', max: limits.shortAllDaily, spanMs: DAY_MS },
  ];
}
