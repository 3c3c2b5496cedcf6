/** Caps that the people of an account set for all of it. They count on the same counters as those of staff: the stricter one refuses. */
import { OWN_CAP_FIELDS } from '@dargah/core/fields/index.ts';
import type { Json } from '../core/json.ts';
import type { Money } from '../core/money.ts';
import { objectInput, readValues, renderValues, unrestricted } from './field-values.ts';
import { readObject } from './read-field.ts';
import { type AccountRules, CAP_PERIODS, type CapPeriod, type OwnCaps } from './rules.ts';

/** Who set a cap: the service's staff, or the people of the account. */
export type CapSetter = 'service' | 'account';

const NO_OWN_CAPS: OwnCaps = unrestricted(OWN_CAP_FIELDS);

/** A period that is not given keeps its cap. */
export function parseOwnCaps(input: Json | undefined, present: OwnCaps | null): OwnCaps | null {
  const caps = readValues(OWN_CAP_FIELDS, objectInput(input, OWN_CAP_FIELDS, 'caps'), present ?? NO_OWN_CAPS, 'caps');
  return caps.daily === null && caps.monthly === null ? null : caps;
}

export function readStoredOwnCaps(stored: Json | null): OwnCaps | null {
  return stored === null ? null : readValues(OWN_CAP_FIELDS, readObject(stored, 'caps'), NO_OWN_CAPS, 'caps');
}

export function renderOwnCaps(caps: OwnCaps | null) {
  return renderValues(OWN_CAP_FIELDS, caps ?? NO_OWN_CAPS);
}

interface CappedAccount {
  rules: Pick<AccountRules, 'caps'>;
  ownCaps?: OwnCaps | null;
}

/** Of two equal caps the one of staff is named, because only they can lift it. */
export function accountCap(
  { rules, ownCaps }: CappedAccount,
  period: CapPeriod,
): { limit: Money; setBy: CapSetter } | undefined {
  const service = rules.caps[period];
  const own = period === 'total' ? null : (ownCaps?.[period] ?? null);
  if (own !== null && (service === null || own < service)) return { limit: own, setBy: 'account' };
  return service === null ? undefined : { limit: service, setBy: 'service' };
}

/** The caps that refuse, whoever set them. */
export function capsInForce(account: CappedAccount): AccountRules['caps'] {
  const caps = { ...account.rules.caps };
  for (const period of CAP_PERIODS) caps[period] = accountCap(account, period)?.limit ?? null;
  return caps;
}
