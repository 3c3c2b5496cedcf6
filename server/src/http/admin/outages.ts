/** Outages, and how each member of staff is notified of them. */
import * as routes from '@dargah/api/admin/outages.ts';
import { page } from '@dargah/api/building-blocks.ts';
import { STAFF_EVENTS } from '@dargah/api/schemas/notice-schemas.ts';
import type { Static } from 'typebox';
import { GatewayError } from '../../core/errors.ts';
import { noSuch } from '../../keys/index.ts';
import {
  channelsOf,
  EVENTS,
  type EventName,
  isEventName,
  linkOfOutage,
  type MessageSender,
  noticeMessage,
  type Outage,
  type Outages,
  outageData,
  type StaffAlerts,
  type StaffPerson,
  type StaffTargets,
} from '../../notices/index.ts';
import { clockText, minutesOfClock } from '../clock-text.ts';
import { targetView } from '../console/alerts.ts';
import { httpReasons } from '../reasons.ts';
import type { Register } from '../routes/register.ts';

export interface OutageServices {
  outages: Outages;
  staff: StaffAlerts;
  staffTargets: StaffTargets;
  messenger: Pick<MessageSender, 'can'>;
  /** The name of the person who acknowledges it. */
  nameOf(personId: string): Promise<string>;
}

export function outages(register: Register, services: OutageServices): void {
  const { outages: kept, nameOf } = services;
  register(routes.listOutages, async ({ query }) => {
    const [{ items, next }, open] = await Promise.all([kept.list(query), kept.open()]);
    return { ...page(items.map(outageView), next), open: open.map(outageView) };
  });
  register(routes.listOutageTold, async ({ params }) => {
    const messages = await kept.told(params.id);
    return {
      object: 'list' as const,
      data: messages.map(({ personId, at, ...message }) => ({ ...message, person_id: personId, at: at.toISOString() })),
    };
  });
  register(routes.acknowledgeOutage, async ({ params, who }) => {
    const name = who.personId === null ? who.actor : await nameOf(who.personId);
    return outageView(await kept.acknowledge(params.id, name));
  });
  ownAlerts(register, services);
  ownTargets(register, services.staffTargets);
}

function ownAlerts(register: Register, { staff, staffTargets, messenger }: OutageServices): void {
  register(routes.getOwnAlerts, async ({ who }) => {
    const id = personOf(who);
    const [person, targets] = await Promise.all([staff.of(id), staffTargets.list(id)]);
    const can = { email: messenger.can('email'), sms: messenger.can('sms') };
    return { ...personView(person), can, targets: targets.map(targetView) };
  });
  register(routes.listStaffAlerts, async () => page((await staff.everyone()).map(personView)));
  register(routes.chooseAlertChannels, async ({ who, params, body }) => {
    await staff.choose(personOf(who), staffEvent(params.event), body.channels);
    return { done: true };
  });
  register(routes.setStaffQuietHours, async ({ who, body }) => {
    const { from, to, holds } = body;
    const hours = from === null || to === null ? null : { from: minutesOfClock(from), to: minutesOfClock(to) };
    await staff.setQuiet(personOf(who), { hours, holdsAll: holds === 'all' });
    return { done: true };
  });
  register(routes.testStaffAlert, async ({ who, body }) => {
    await staff.test(personOf(who), body.channel);
    return { done: true };
  });
}

function ownTargets(register: Register, targets: StaffTargets): void {
  register(routes.addStaffTarget, async ({ who, body }) => {
    const { secret, ...target } = await targets.add(personOf(who), body.url);
    return { ...targetView(target), secret };
  });
  register(routes.enableStaffTarget, async ({ who, params }) =>
    targetView(await targets.enable(personOf(who), params.id)),
  );
  register(routes.deleteStaffTarget, async ({ who, params }) => {
    await targets.remove(personOf(who), params.id);
    return { id: params.id, deleted: true };
  });
}

/** A token has nobody to notify. */
function personOf({ personId }: { personId: string | null }): string {
  if (personId === null) throw new GatewayError('forbidden', { instead: httpReasons.notForTokens });
  return personId;
}

function staffEvent(name: string): EventName {
  return isEventName(name) && EVENTS[name].staff ? name : noSuch('alert rule', name);
}

export function outageView(outage: Outage): Static<typeof routes.OutageSchema> {
  const { id, kind, subject, severity, failed, answered, accounts, cause, provider, reopened, ending } = outage;
  const { title } = EVENTS[kind];
  const { text } = noticeMessage(kind, outageData(outage));
  return {
    object: 'outage',
    id,
    kind,
    subject,
    severity,
    title,
    text,
    link: linkOfOutage(outage),
    opened_at: outage.openedAt.toISOString(),
    closed_at: outage.closedAt?.toISOString() ?? null,
    ending,
    acknowledged_at: outage.acknowledgedAt?.toISOString() ?? null,
    acknowledged_by: outage.acknowledgedBy,
    failed,
    answered,
    accounts,
    peak_share: outage.peakShare,
    cause,
    provider,
    vendor: kind === 'model.failing' && subject.includes('/') ? (subject.split('/')[0] ?? null) : null,
    reopened,
  };
}

function personView(person: StaffPerson) {
  const { id, name, role, email, sms, targets, hours, holdsAll, chosen } = person;
  return {
    object: 'staff_alerts' as const,
    person_id: id,
    name,
    role,
    email,
    sms,
    webhooks: targets.length,
    quiet_hours: hours && { from: clockText(hours.from), to: clockText(hours.to) },
    quiet_holds: holdsAll ? ('all' as const) : ('warnings' as const),
    choices: OFFERED.map((event) => ({
      event,
      title: EVENTS[event].title,
      severity: EVENTS[event].severity ?? ('warning' as const),
      channels: channelsOf(person, event),
      chosen: chosen[event] !== undefined,
    })),
  };
}

/** Open circuits are now reported as outages; older notices of them stay readable. */
const OFFERED = STAFF_EVENTS.filter((event) => event !== 'provider.breaker_open');
