/**
 * What a request asks for beside tokens at their normal price: a service tier, and tools that the provider runs. Routes
 * that sell it are kept, and the hold covers the highest price that may apply. Where no route sells it the plan stays
 * as it is, and a field that cannot be left out is refused by name (protocols/passed-fields.ts).
 */
import { type Model, modelAtTier, type Route } from '../../catalog/index.ts';
import type { AskedTier, HostedCalls, HostedUse, ProtocolId } from '../../core/chat.ts';
import { type Money, max, money } from '../../core/money.ts';
import { highestUnitPrice } from '../../core/price.ts';
import type { ToolBucket } from '../../core/usage.ts';
import { checkPrice, type KeySnapshot } from '../../keys/index.ts';
import { isMessagesCloud, isSold } from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';

export interface AskedBeside {
  /** Only a provider of the client's protocol understands these fields. */
  protocol: ProtocolId;
  tier: AskedTier | undefined;
  hosted: HostedCalls | undefined;
}

/** The parts of a plan that change. */
interface SoldPlan {
  targets: Target[];
  model: Model;
  models: Model[];
  hosted?: HostedCalls;
}

export function sellBeside<Plan extends SoldPlan>(plan: Plan, asked: AskedBeside, key: KeySnapshot): Plan {
  const sold = asked.hosted ? sellTools(plan, asked.hosted) : plan;
  return asked.tier === undefined ? sold : sellTier(sold, asked.protocol, asked.tier, key);
}

function sellTools<Plan extends SoldPlan>(plan: Plan, hosted: HostedCalls): Plan {
  const needed = hosted.uses.filter(({ optional }) => !optional);
  const runs = ({ route, model }: Target, uses: readonly HostedUse[]): boolean =>
    route.provider.protocol === hosted.protocol && uses.every((use) => isSold(model.price, use));
  const targets =
    needed.length > 0
      ? plan.targets.filter((target) => runs(target, needed))
      : ableFirst(plan.targets, hosted, (target) => runs(target, hosted.uses));
  const kept = targets.length > 0 ? targets : plan.targets;
  const sent = kept.some((target) => hosted.uses.some((use) => runs(target, [use])));
  return sent ? { ...plan, targets: kept, hosted } : { ...plan, targets: kept };
}

/**
 * An optional tier changes the order of one model's routes, never the model; tools that agents always offer change
 * nothing.
 */
function ableFirst(targets: Target[], { isHabit }: HostedCalls, isAble: (target: Target) => boolean): Target[] {
  if (isHabit) return targets;
  const able = targets.filter((target) => target.model === targets[0]?.model && isAble(target));
  return able.length === 0 ? targets : [...able, ...targets.filter((target) => !able.includes(target))];
}

function sellTier<Plan extends SoldPlan>(plan: Plan, protocol: ProtocolId, tier: AskedTier, key: KeySnapshot): Plan {
  const sells = ({ route, model }: Target): boolean =>
    route.provider.protocol === protocol &&
    isSent(route, tier) &&
    (tier === 'auto' || model.price.serviceTiers?.[tier] !== undefined);
  const able = plan.targets.filter(sells);
  if (able.length === 0) return plan;
  // Cheaper tiers and `auto` are no reason to leave a route out.
  const kept = tier === 'auto' || tier === 'flex' ? plan.targets : able;
  const priced = new Map<Model, Model>();
  const targets = kept.map((target) => {
    if (!sells(target)) return target;
    const model = modelAtTier(target.model, tier);
    priced.set(target.model, model);
    if (model !== target.model) checkPrice(key, model);
    return { ...target, model, tier };
  });
  const at = (model: Model): Model => priced.get(model) ?? model;
  return { ...plan, targets, model: at(plan.model), models: plan.models.map(at) };
}

/**
 * Without the field the provider serves at its normal tier and reports nothing, and that silence must not be charged as
 * the tier.
 */
function isSent({ provider: { protocol }, quirks }: Route, tier: AskedTier): boolean {
  if (isMessagesCloud(protocol, { quirks })) return false;
  return !quirks.dropFields?.includes(protocol === 'anthropic-messages' && tier === 'fast' ? 'speed' : 'service_tier');
}

/**
 * The most that tools may cost beside the request itself. With each call the model reads the whole input again, and the
 * results of earlier calls.
 */
export function hostedMost(
  { uses, total }: HostedCalls,
  { price, context }: Model,
  { input, output, kept }: { input: number; output: number; kept: boolean },
): Money {
  const sold = uses.filter((use) => isSold(price, use));
  if (sold.length === 0) return money(0n);
  let sum = 0n;
  for (const { most } of sold)
    for (const [bucket, units] of Object.entries(most))
      sum += BigInt(units) * (price.perUnit[bucket as ToolBucket] ?? 0n);
  const calls = total ?? sold.reduce((all, use) => all + use.calls, 0);
  const found = Math.max(...sold.map(({ resultTokens }) => resultTokens));
  const reread = input * calls + (found * calls * (calls + 1)) / 2;
  const read = context === undefined ? reread : Math.min(reread, context * calls);
  const all = input + Math.ceil(read);
  const fresh = highestUnitPrice(price, 'inputFresh', all);
  const each = kept ? max(money(fresh), money(highestUnitPrice(price, 'cacheWrite1h', all))) : fresh;
  sum += BigInt(all) * each - BigInt(input) * highestUnitPrice(price, 'inputFresh', input);
  sum += BigInt(output) * (highestUnitPrice(price, 'output', all) - highestUnitPrice(price, 'output', input));
  return money(sum);
}
