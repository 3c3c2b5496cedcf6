/**
 * May this key do this? Pure, over an immutable snapshot. The order is part of the contract, the first failure is the answer:
 *   1. paused   2. expired   3. IP, then referrer (each list that is set must match)   4. endpoint (key, then account)
 * Models are asked about later, when the body is read and the model is resolved.
 */
import { GatewayError } from '../core/errors.ts';
import type { Money } from '../core/money.ts';
import { reasons } from '../core/reasons.ts';
import { compileAddresses, compileHosts } from './address-rules.ts';
import {
  CAP_PERIODS,
  type CalledEndpoint,
  type Caps,
  type Endpoint,
  type KeyRules,
  type KeySnapshot,
  type SharedRules,
} from './rules.ts';

export interface Caller {
  endpoint: CalledEndpoint;
  ip: string;
  referrer: string | undefined;
  nowMs: number;
}

/** A snapshot of the catalog's groups, as far as rules care. */
export type GroupMembers = ReadonlyMap<string, { models: ReadonlySet<string> }>;

const GROUP = 'group:';

/** A key that may use an endpoint may also use the endpoint that prepares its use. */
const IMPLIED: Partial<Record<CalledEndpoint, Endpoint>> = { 'messages.count_tokens': 'messages' };

export function checkKeyRules(key: KeySnapshot, { endpoint, ip, referrer, nowMs }: Caller): void {
  const { rules, account } = key;
  if (rules.paused || account.rules.paused) throw new GatewayError('key_paused');
  if (rules.expiresAt !== null && nowMs >= rules.expiresAt) throw new GatewayError('key_expired');
  const allows = compiledLists(rules);
  if (allows.ip && !allows.ip(ip))
    throw new GatewayError('ip_not_allowed', { reason: reasons.callerAddress(ip), detail: { ip } });
  if (allows.referrer && !allows.referrer(referrer))
    throw new GatewayError('ip_not_allowed', { reason: reasons.callerReferrer(referrer?.slice(0, 200)) });
  if (!permitsEndpoint(rules, endpoint) || !permitsEndpoint(account.rules, endpoint)) {
    throw new GatewayError('endpoint_not_allowed');
  }
}

/** Every key may look up itself and its own requests. */
const ALWAYS: ReadonlySet<CalledEndpoint> = new Set(['key', 'requests']);

function permitsEndpoint({ endpoints }: SharedRules, endpoint: CalledEndpoint): boolean {
  if (endpoints === null || (endpoints as readonly CalledEndpoint[]).includes(endpoint) || ALWAYS.has(endpoint))
    return true;
  const implying = IMPLIED[endpoint];
  return implying !== undefined && endpoints.includes(implying);
}

/**
 * Key and account must both permit the model. `reference` is how the client named it: a rule `group:x` permits the
 * models of that group under their own ids, and the reference `group:x` itself.
 */
export function permitsModel(key: KeySnapshot, modelId: string, reference: string, groups: GroupMembers): boolean {
  return (
    permits(key.rules.models, modelId, reference, groups) &&
    permits(key.account.rules.models, modelId, reference, groups)
  );
}

function permits(list: string[] | null, modelId: string, reference: string, groups: GroupMembers): boolean {
  if (list === null) return true;
  for (const entry of list) {
    if (entry === modelId || (entry === reference && entry.startsWith(GROUP))) return true;
    if (entry.startsWith(GROUP) && groups.get(entry.slice(GROUP.length))?.models.has(modelId)) return true;
  }
  return false;
}

/** A key's knowledge bases: null means all of its account's. */
export function permitsKnowledgeBase(key: KeySnapshot, id: string): boolean {
  return key.rules.knowledgeBases === null || key.rules.knowledgeBases.includes(id);
}

/** The narrower of key and account, per period. */
export function effectiveCaps(key: KeySnapshot): Caps {
  const narrower = (a: Money | null, b: Money | null): Money | null => {
    if (a === null || b === null) return a ?? b;
    return a < b ? a : b;
  };
  const caps = { ...key.rules.caps };
  for (const period of CAP_PERIODS) caps[period] = narrower(key.rules.caps[period], key.account.rules.caps[period]);
  return caps;
}

/** The narrower of key and account. */
export function effectiveRpm(key: KeySnapshot): number | null {
  const { rpm } = key.rules;
  const ceiling = key.account.rules.rpm;
  if (rpm === null || ceiling === null) return rpm ?? ceiling;
  return Math.min(rpm, ceiling);
}

interface CompiledLists {
  ip: ((ip: string) => boolean) | undefined;
  referrer: ((referrer: string | undefined) => boolean) | undefined;
}

/** Rules are immutable and replaced as a whole, so their compiled form lives exactly as long as they do. */
const compiled = new WeakMap<KeyRules, CompiledLists>();

function compiledLists(rules: KeyRules): CompiledLists {
  let lists = compiled.get(rules);
  if (!lists) {
    lists = {
      ip: rules.ips === null ? undefined : compileAddresses(rules.ips),
      referrer: rules.referrers === null ? undefined : compileHosts(rules.referrers),
    };
    compiled.set(rules, lists);
  }
  return lists;
}
