/**
 * The counters of a request as text. A period that is counted for both its key and its account is written once,
 * `*:daily:2026-11-15`, which makes a request's text shorter (docs/performance.md). The database reads it with spend_counters()
 * (migration 0007).
 */
import { parseBudgetId } from '../keys/index.ts';

export interface CountersText {
  readonly text: string;
  /** The day in the account's own calendar, taken from the name of its daily counter. */
  readonly day: string | undefined;
}

interface Known extends CountersText {
  readonly keyId: string;
  readonly accountId: string;
}

/** Ids have no spaces. */
const SEPARATOR = ' ';
const OF_BOTH = '*';
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** All requests of a key share one list of counters until a period ends (gateway/admit/limit-checks.ts), so it is read once. */
const knownCounters = new WeakMap<readonly string[], Known>();

export function countersText(counters: readonly string[], keyId: string, accountId: string): CountersText {
  const known = knownCounters.get(counters);
  if (known && known.keyId === keyId && known.accountId === accountId) return known;
  const names = periodsOfBoth(counters, keyId, accountId) ?? counters;
  const made = { text: names.join(SEPARATOR), day: dayOf(counters), keyId, accountId };
  knownCounters.set(counters, made);
  return made;
}

export function countersOf(text: string, keyId: string, accountId: string): string[] {
  if (text === '') return [];
  const names = text.split(SEPARATOR);
  if (!text.startsWith(OF_BOTH)) return names;
  const periods = names.map((name) => name.slice(OF_BOTH.length));
  return [
    ...periods.map((period) => keyPrefix(keyId) + period),
    ...periods.map((period) => accountPrefix(accountId) + period),
  ];
}

/** Undefined when the counters are not the same periods, first of the key and then of the account. */
function periodsOfBoth(counters: readonly string[], keyId: string, accountId: string): string[] | undefined {
  const half = counters.length / 2;
  if (!Number.isInteger(half)) return undefined;
  const ofKey = periodsAfter(keyPrefix(keyId), counters.slice(0, half));
  const ofAccount = periodsAfter(accountPrefix(accountId), counters.slice(half));
  const same = half > 0 && ofKey?.every((period, at) => period === ofAccount?.[at]);
  return same ? ofKey?.map((period) => OF_BOTH + period) : undefined;
}

function periodsAfter(prefix: string, names: readonly string[]): string[] | undefined {
  if (!names.every((name) => name.startsWith(`${prefix}:`))) return undefined;
  return names.map((name) => name.slice(prefix.length));
}

const keyPrefix = (id: string) => `cap:key:${id}`;
const accountPrefix = (id: string) => `cap:account:${id}`;

function dayOf(counters: readonly string[]): string | undefined {
  const daily = counters.find((counter) => counter.startsWith('cap:account:') && counter.includes(':daily:'));
  const budget = daily === undefined ? undefined : parseBudgetId(daily);
  return budget?.kind === 'cap' && DAY.test(budget.periodId) ? budget.periodId : undefined;
}
