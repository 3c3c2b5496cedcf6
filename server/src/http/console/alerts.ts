/** Notices and alerts of an account: the bell, rules, targets, deliveries, forecasts. */

import { page } from '@dargah/api/building-blocks.ts';
import * as routes from '@dargah/api/console/alerts.ts';
import type {
  AlertRuleSchema,
  DeliverySchema,
  NoticeSchema,
  TargetSchema,
} from '@dargah/api/schemas/notice-schemas.ts';
import type { Static } from 'typebox';
import type { Clock } from '../../core/clock.ts';
import { invalidRequest } from '../../core/errors.ts';
import { toTomanText } from '../../core/money.ts';
import { noSuch } from '../../keys/index.ts';
import {
  type AlertDelivery,
  type AlertRule,
  type AlertTarget,
  type AlertTargets,
  EVENTS,
  type EventName,
  forecastOf,
  isEventName,
  type Notice,
  type Notices,
  noticeMessage,
  type Terms,
} from '../../notices/index.ts';
import type { People } from '../../people/index.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { clockText, minutesOfClock } from '../clock-text.ts';
import { webhookReplays } from '../guessing.ts';
import { httpReasons } from '../reasons.ts';
import type { Register } from '../routes/register.ts';

export interface AlertServices {
  notices: Notices;
  targets: AlertTargets;
  db: Queryable;
  clock: Clock;
}

export function alerts(
  register: Register,
  { notices, targets, db, clock }: AlertServices,
  attempts: People['attempts'],
): void {
  register(routes.listNotices, async ({ who, query }) => {
    const { items, next, unread } = await notices.list(who.accountId, query);
    return { ...page(items.map(noticeView), next), unread };
  });
  register(routes.readNotices, async ({ who }) => {
    await notices.markRead(who.accountId);
    return { done: true };
  });
  register(routes.listAlertRules, async ({ who }) => {
    const hours = await notices.quietHours(who.accountId);
    const data = (await notices.rules(who.accountId)).map(ruleView);
    return {
      object: 'alert_rules',
      data,
      quiet_hours: hours && { from: clockText(hours.from), to: clockText(hours.to) },
    };
  });
  register(routes.changeAlertRule, async ({ who, params, body }) => {
    const event = accountEvent(params.event);
    const { enabled, channels, terms } = body;
    const change = {
      ...(enabled === undefined ? {} : { enabled }),
      ...(channels === undefined ? {} : { channels }),
      ...(terms === undefined ? {} : { terms: termsOf(terms) }),
    };
    return ruleView(await notices.changeRule(who.accountId, event, change));
  });
  register(routes.setQuietHours, async ({ who, body }) => {
    const { from, to } = body;
    await notices.setQuietHours(
      who.accountId,
      from === null || to === null ? null : { from: minutesOfClock(from), to: minutesOfClock(to) },
    );
    return { done: true };
  });
  register(routes.sendTestAlert, async ({ who, body }) => {
    if (!(await notices.test(who.accountId, accountEvent(body.event))))
      throw invalidRequest('event', httpReasons.alertOff);
    return { done: true };
  });
  targetRoutes(register, targets, attempts);
  register(routes.getForecast, async ({ who }) => {
    const all = await forecastOf(db, clock, who.accountId);
    const data = all.map(({ what, id, name, period, left, dailyPace, endsAt, sentence }) => ({
      what,
      id,
      name,
      period,
      left: toTomanText(left),
      daily_pace: toTomanText(dailyPace),
      ends_at: endsAt === null ? null : new Date(endsAt).toISOString(),
      sentence,
    }));
    return { object: 'forecast', data };
  });
}

function targetRoutes(register: Register, targets: AlertTargets, attempts: People['attempts']): void {
  register(routes.listAlertTargets, async ({ who }) => page((await targets.list(who.accountId)).map(targetView)));
  register(routes.addAlertTarget, async ({ who, body }) => {
    const { secret, ...target } = await targets.add(who.accountId, body.url);
    return { ...targetView(target), secret };
  });
  register(routes.enableAlertTarget, async ({ who, params }) =>
    targetView(await targets.enable(who.accountId, params.id)),
  );
  register(routes.deleteAlertTarget, async ({ who, params }) => {
    await targets.remove(who.accountId, params.id);
    return { id: params.id, deleted: true };
  });
  register(routes.listDeliveries, async ({ who, query }) => {
    const { items, next } = await targets.deliveries(who.accountId, query);
    return page(items.map(deliveryView), next);
  });
  register(routes.replayDelivery, async ({ who, params }) => {
    await attempts.count(webhookReplays(who.accountId, params.id));
    return deliveryView(await targets.replay(who.accountId, params.id));
  });
}

export function noticeView({ id, event, data, link, read, createdAt }: Notice): Static<typeof NoticeSchema> {
  return {
    object: 'notice',
    id,
    event,
    ...noticeMessage(event, data),
    data,
    link,
    read,
    created_at: createdAt.toISOString(),
  };
}

function ruleView({ event, enabled, channels, terms }: AlertRule): Static<typeof AlertRuleSchema> {
  return { object: 'alert_rule', id: event, event, enabled, channels, terms, sentence: EVENTS[event].sentence(terms) };
}

export function targetView({ id, url, enabled, problem, createdAt }: AlertTarget): Static<typeof TargetSchema> {
  return { object: 'alert_target', id, url, enabled, problem, created_at: createdAt.toISOString() };
}

function deliveryView(delivery: AlertDelivery): Static<typeof DeliverySchema> {
  const { id, noticeId, event, channel, to, state, tries, lastStatus, lastProblem, nextTryAt, createdAt, sentAt } =
    delivery;
  return {
    object: 'delivery',
    id,
    notice_id: noticeId,
    event,
    channel,
    to,
    state,
    tries,
    last_status: lastStatus,
    last_problem: lastProblem,
    next_try_at: state === 'waiting' ? (nextTryAt?.toISOString() ?? null) : null,
    created_at: createdAt.toISOString(),
    sent_at: sentAt?.toISOString() ?? null,
  };
}

function accountEvent(name: string): EventName {
  if (!isEventName(name) || EVENTS[name].staff) return noSuch('alert rule', name);
  return name;
}

type GivenTerms = Omit<Terms, 'below' | 'pay'> & { below?: string | number | null; pay?: string | number | null };

function termsOf({ below, pay, ...rest }: GivenTerms): Terms {
  const text = (value: string | number | null) => (value === null ? null : String(value));
  return {
    ...rest,
    ...(below === undefined ? {} : { below: text(below) }),
    ...(pay === undefined ? {} : { pay: text(pay) }),
  };
}
