/**
 * WHAT THE RULES OF A KEY MEAN. Each rule is one entry, under the name that its verdict has in the rule tester and in dry runs;
 * its place in the list is its place in the order (ADR 0002), and the first that refuses is the answer. Requests, tester and
 * dry runs ask by these lists and by nothing else.
 *
 * An entry is given the key and answers with its check, or with nothing where the key has no such rule: checks are made once per
 * snapshot of a key, so a rule that is not set costs no request anything.
 */
import type { AnyRequest } from '../core/chat.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { type Money, money, toTomanText } from '../core/money.ts';
import { highestUnitPrice, type Price } from '../core/price.ts';
import { reasons } from '../core/reasons.ts';
import { toldTime } from '../core/told-time.ts';
import { compileAddresses, compileHosts } from './address-rules.ts';
import { keyReasons } from './reasons.ts';
import type { AccountBlock, AccountRules, CalledEndpoint, Endpoint, KeySnapshot } from './rules.ts';

export interface Caller {
  endpoint: CalledEndpoint;
  ip: string;
  referrer: string | undefined;
  nowMs: number;
}

/** Pure; throws the refusal. */
type Check<Asked> = (asked: Asked) => void;
type Rule<Asked> = (key: KeySnapshot) => Check<Asked> | undefined;

/** Rules about the caller, checked before the body is read. */
export const CALLER_RULES = {
  /** A block of staff stands at the same place, before every rule that the customer can change. */
  paused: ({ rules, account }) => {
    const { blocked } = account;
    const isPaused = rules.paused || account.rules.paused;
    if (!blocked && !isPaused) return undefined;
    const ofAccount = { ruleOf: 'account', instead: keyReasons.accountPaused } as const;
    return ({ nowMs }) => {
      if (blocked && isBlocked(blocked, nowMs)) throw blockRefusal(blocked);
      if (isPaused) throw new GatewayError('key_paused', account.rules.paused ? ofAccount : {});
    };
  },
  expired: ({ rules: { expiresAt } }) => {
    if (expiresAt === null) return undefined;
    return ({ nowMs }) => {
      if (nowMs >= expiresAt)
        throw new GatewayError('key_expired', { reason: keyReasons.expiredAt(toldTime(expiresAt)) });
    };
  },
  ip: ({ rules: { ips } }) => {
    if (ips === null) return undefined;
    const allows = compileAddresses(ips);
    return ({ ip }) => {
      if (!allows(ip)) throw new GatewayError('ip_not_allowed', { reason: reasons.callerAddress(ip), detail: { ip } });
    };
  },
  referrer: ({ rules: { referrers } }) => {
    if (referrers === null) return undefined;
    const allows = compileHosts(referrers);
    return ({ referrer }) => {
      if (allows(referrer)) return;
      throw new GatewayError('ip_not_allowed', { reason: reasons.callerReferrer(referrer?.slice(0, 200)) });
    };
  },
  endpoint: ({ rules, account }) => {
    if (rules.endpoints === null && account.rules.endpoints === null) return undefined;
    return ({ endpoint }) => {
      const ofKey = permitsEndpoint(rules, endpoint);
      if (ofKey && permitsEndpoint(account.rules, endpoint)) return;
      const ruleOf = ofKey ? 'account' : 'key';
      throw new GatewayError('endpoint_not_allowed', { ruleOf, reason: keyReasons.endpointOf(ruleOf, endpoint) });
    };
  },
} satisfies Record<string, Rule<Caller>>;

/**
 * Rules about what a request asks for, on every endpoint: checked once its model is found, permitted and capable of it.
 */
export const REQUEST_RULES = {
  resume: ({ rules: { resumeSeconds } }) => {
    if (resumeSeconds !== 0) return undefined;
    return ({ svc }) => {
      if (svc.resumeSeconds) throw invalidRequest('svc.resume_seconds', keyReasons.streamsNotKept, { ruleOf: 'key' });
    };
  },
  cache: ({ rules: { cacheSeconds } }) => {
    if (cacheSeconds !== 0) return undefined;
    return ({ svc }) => {
      if (svc.cacheSeconds) throw invalidRequest('svc.cache_seconds', keyReasons.answersNotKept, { ruleOf: 'key' });
    };
  },
  knowledge: ({ rules: { knowledgeBases } }) => {
    if (knowledgeBases === null) return undefined;
    return ({ svc }) => {
      const refused = svc.knowledgeBaseIds.find((id) => !knowledgeBases.includes(id));
      // Answered like a base that does not exist, so that nobody can probe for ids.
      if (refused !== undefined) throw invalidRequest('svc.knowledge_base_ids', reasons.noSuchBase(refused));
    };
  },
} satisfies Record<string, Rule<AnyRequest>>;

export function isBlocked({ until }: AccountBlock, nowMs: number): boolean {
  return until === null || nowMs < until.getTime();
}

/** Says until when, and not why: an answer of the API is read by more people than the account's own. */
export function blockRefusal({ until }: AccountBlock): GatewayError {
  if (until === null) return new GatewayError('account_blocked');
  const detail = { blocked_until: until.toISOString() };
  return new GatewayError('account_blocked', { reason: keyReasons.blockedUntil(toldTime(until.getTime())), detail });
}

export function checkKeyRules(key: KeySnapshot, caller: Caller): void {
  const { ofCaller } = checksOf(key);
  for (const check of ofCaller) check(caller);
}

export function checkRequestRules(key: KeySnapshot, request: AnyRequest): void {
  const { ofRequest } = checksOf(key);
  for (const check of ofRequest) check(request);
}

interface Checks {
  ofCaller: readonly Check<Caller>[];
  ofRequest: readonly Check<AnyRequest>[];
}

/** Snapshots are immutable and replaced as a whole, so their checks live exactly as long as they do. */
const made = new WeakMap<KeySnapshot, Checks>();

function checksOf(key: KeySnapshot): Checks {
  let checks = made.get(key);
  if (!checks) {
    checks = { ofCaller: setRules(CALLER_RULES, key), ofRequest: setRules(REQUEST_RULES, key) };
    made.set(key, checks);
  }
  return checks;
}

function setRules<Asked>(rules: Record<string, Rule<Asked>>, key: KeySnapshot): Check<Asked>[] {
  return Object.values(rules).flatMap((rule) => rule(key) ?? []);
}

/** Every key may look up itself and its own requests. */
const ALWAYS: ReadonlySet<CalledEndpoint> = new Set(['key', 'requests']);

/** A key that may use an endpoint may also use what only prepares its use. */
const IMPLIED: Partial<Record<CalledEndpoint, Endpoint>> = { 'messages.count_tokens': 'messages' };

function permitsEndpoint({ endpoints }: Pick<AccountRules, 'endpoints'>, endpoint: CalledEndpoint): boolean {
  if (endpoints === null || (endpoints as readonly CalledEndpoint[]).includes(endpoint) || ALWAYS.has(endpoint))
    return true;
  const implying = IMPLIED[endpoint];
  return implying !== undefined && endpoints.includes(implying);
}

/** A snapshot of the catalog's groups, as far as rules care. */
export type GroupMembers = ReadonlyMap<string, { models: ReadonlySet<string> }>;

const GROUP = 'group:';

/**
 * Key and account must both permit the model. `reference` is how the client named it: a rule `group:x` permits the
 * models of that group under their own ids, and the reference `group:x` itself.
 */
export function permitsModel(key: KeySnapshot, modelId: string, reference: string, groups: GroupMembers): boolean {
  return (
    permitsByList(key.rules.models, modelId, reference, groups) &&
    permitsByList(key.account.rules.models, modelId, reference, groups)
  );
}

/** The refusal of a model that `permitsModel` does not permit. */
export function modelRefusal(key: KeySnapshot, modelId: string, reference: string, groups: GroupMembers): GatewayError {
  const ruleOf = permitsByList(key.rules.models, modelId, reference, groups) ? 'account' : 'key';
  return new GatewayError('model_not_allowed', { param: 'model', ruleOf, reason: keyReasons.modelOf(ruleOf, modelId) });
}

/** Refuses a model that costs more than the key allows. A long prompt may reach any tier, so the most expensive one counts. */
export function checkPrice({ rules: { maxPrice } }: KeySnapshot, model: { id: string; price: Price }): void {
  refuseAbovePrice(model, 'input', 'inputFresh', maxPrice.input);
  refuseAbovePrice(model, 'output', 'output', maxPrice.output);
}

export function permitsPrice(key: KeySnapshot, model: { price: Price }): boolean {
  const { input, output } = key.rules.maxPrice;
  return (
    (input === null || perMillion(model.price, 'inputFresh') <= input) &&
    (output === null || perMillion(model.price, 'output') <= output)
  );
}

function refuseAbovePrice(
  { id, price }: { id: string; price: Price },
  side: 'input' | 'output',
  bucket: 'inputFresh' | 'output',
  limit: Money | null,
): void {
  if (limit === null) return;
  const asked = perMillion(price, bucket);
  if (asked <= limit) return;
  const [told, allowed] = [toTomanText(asked), toTomanText(limit)];
  throw new GatewayError('price_above_limit', {
    param: 'model',
    ruleOf: 'key',
    reason: keyReasons.priceAbove(id, side, told, allowed),
    detail: { side, price: told, limit: allowed },
  });
}

function perMillion(price: Price, bucket: 'inputFresh' | 'output'): Money {
  return money(highestUnitPrice(price, bucket, Number.MAX_SAFE_INTEGER) * 1_000_000n);
}

export function permitsByList(
  list: readonly string[] | null,
  modelId: string,
  reference: string,
  groups: GroupMembers,
): boolean {
  if (list === null) return true;
  for (const entry of list) {
    if (entry === modelId || (entry === reference && entry.startsWith(GROUP))) return true;
    if (entry.startsWith(GROUP) && groups.get(entry.slice(GROUP.length))?.models.has(modelId)) return true;
  }
  return false;
}
