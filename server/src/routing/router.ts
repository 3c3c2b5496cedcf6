/** Plans, slots and memory of conversations behind one interface. */

import type { DataDemand } from '@dargah/core/data-policy.ts';
import type { Model } from '../catalog/index.ts';
import type { Message, RoutingPreferences } from '../core/chat.ts';
import type { Clock } from '../core/clock.ts';
import { type MaybePromise, whenResolved } from '../core/maybe-promise.ts';
import type { RequestNeeds } from './candidate.ts';
import { createHealth, type RouteHealth, type TargetHealth } from './health.ts';
import type { AnswerKind, Slot } from './live-slot.ts';
import type { RouteNews, RoutingNews } from './news.ts';
import { OwnSlots } from './own-slots.ts';
import { isUsable, planRoutes, type RoutePlan } from './plan.ts';
import { Stickiness, stickyKey } from './stickiness.ts';
import { type Target, targetsOf } from './target.ts';

export interface PlanRequest {
  accountId: string;
  /** The requested model first, then fallback models. */
  models: readonly Model[];
  messages: readonly Message[];
  preferences: RoutingPreferences | undefined;
  /** Undefined where no route of its models fails anything. */
  needs?: RequestNeeds | undefined;
  /** What providers must state about data. */
  wanted?: readonly DataDemand[] | undefined;
}

export interface Router {
  plan(request: PlanRequest): RoutePlan;
  /** 'full': the provider is at its limit and no slot came free in time. */
  acquire(target: Target, deadlineAtMs: number, tokens?: number): MaybePromise<Slot | 'full'>;
  /** Adds the tokens of an answer to the minute of a route with such a limit. */
  spent(target: Target, tokens: number): void;
  /** True when its circuit is closed and its provider has a free slot at this moment. */
  isUsable(target: Target): boolean;
  /** How soon the fastest of a model's routes begins to answer; undefined while nothing is known. */
  firstEventMs(model: Model): number | undefined;
  /** When to start a second route; undefined while too little is known. */
  slowAfterMs(target: Target, kind: AnswerKind): number | undefined;
  snapshot(): TargetHealth[];
}

export interface RouterOptions {
  clock: Clock;
  random: () => number;
  /** Set where there are other replicas, which share circuits and conversations. */
  news?: RoutingNews | undefined;
}

/** How many conversations a new replica is told of, enough for those in use. */
const MAX_CONVERSATIONS_TOLD = 2_000;

export function createRouter({ clock, random, news }: RouterOptions): Router {
  const health = createHealth({ clock, random, ...(news ? { tell: (told) => news.tell(told) } : {}) });
  const stickiness = new Stickiness(clock);
  if (news) follow(news, health, stickiness);
  const ownSlots = new OwnSlots();
  const facts = (target: Target) => (target.route.own ? ownSlots.facts(target) : health.facts(target));
  /** The target that answers is remembered as the holder of the conversation's prompt cache. */
  function bind(slot: Slot, target: Target, conversation: string): Slot {
    return {
      end: (outcome) => slot.end(outcome),
      answered(firstEventMs, kind) {
        slot.answered(firstEventMs, kind);
        if (stickiness.remember(conversation, target.id)) {
          news?.tell({ kind: 'answered', conversation, target: target.id });
        }
      },
    };
  }
  return {
    plan({ accountId, models, messages, preferences, needs, wanted }) {
      const ranked = models.map(withTargets);
      const first = ranked[0];
      // With one target there is nothing to choose, and nothing to remember.
      const key = first && first.targets.length > 1 ? stickyKey(accountId, first.model.id, messages) : undefined;
      const sticky = key === undefined ? undefined : stickiness.find(key);
      const plan = planRoutes({ models: ranked, facts, preferences, needs, wanted, sticky, random });
      return first && key !== undefined ? inConversation(plan, first.model, key) : plan;
    },
    acquire(target, deadlineAtMs, tokens = 0) {
      const { conversation } = target;
      if (target.route.own) return ownSlots.acquire(target);
      const acquired = health.acquire(target, deadlineAtMs, tokens);
      if (conversation === undefined) return acquired;
      return whenResolved(acquired, (slot) => (slot === 'full' ? slot : bind(slot, target, conversation)));
    },
    spent: (target, tokens) => health.spent(target, tokens),
    isUsable: (target) => isUsable({ facts: facts(target) }),
    firstEventMs(model) {
      const known = targetsOf(model).flatMap((target) => facts(target).p50Ms ?? []);
      return known.length === 0 ? undefined : Math.min(...known);
    },
    slowAfterMs: (target, kind) => (target.route.own ? undefined : health.slowAfterMs(target, kind)),
    snapshot: () => health.snapshot(),
  };
}

function follow(news: RoutingNews, health: RouteHealth, stickiness: Stickiness): void {
  news.listen({
    hear(heard) {
      if (heard.kind === 'answered') stickiness.hear(heard.conversation, heard.target);
      else health.hear(heard);
    },
    known(): RouteNews[] {
      const conversations = stickiness.latest(MAX_CONVERSATIONS_TOLD);
      return [
        ...health.open(),
        ...conversations.map(([conversation, target]): RouteNews => ({ kind: 'answered', conversation, target })),
      ];
    },
  });
}

function withTargets(model: Model): { model: Model; targets: readonly Target[] } {
  return { model, targets: targetsOf(model) };
}

function inConversation(plan: RoutePlan, model: Model, conversation: string): RoutePlan {
  const targets = plan.targets.map((target) => (target.model === model ? { ...target, conversation } : target));
  return { ...plan, targets };
}
