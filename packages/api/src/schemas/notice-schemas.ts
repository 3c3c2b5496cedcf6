/** Notices, alert rules, targets and tickets as customers and staff see them. */
import Type from 'typebox';
import { AnyJson, inputObject, nullable, responseObject, Time, TomanInput } from '../building-blocks.ts';

/** The events that an account can be notified of. */
const ACCOUNT_EVENTS = [
  'balance.low',
  'balance.reminder',
  'cap.reached',
  'account.blocked',
  'key.expiring',
  'key.rotation_asked',
  'key.unusual_spend',
  'errors.high',
  'payment.credited',
  'ticket.answered',
  'model.withdrawn',
  'price.announced',
  'target.disabled',
] as const;
export const STAFF_EVENTS = [
  'model.failing',
  'provider.rescued',
  'provider.credential_dead',
  'provider.balance_out',
  'provider.breaker_open',
  'database.away',
  'disk.low',
  'sms.unreachable',
  'payments.unreachable',
  'books.unproved',
  'books.unfinished',
  'invoices.unsent',
  'conformance.changed',
  'journal.growing',
  'replica.missing',
  'payment.stuck',
  'payment.receipt',
  'payment.chargeback',
  'payment.unknown',
  'payment.play_money',
  'settlement.overdue',
  'approval.asked',
  'credit.day',
  'export.ended',
  'ticket.opened',
  'ticket.replied',
  'rate.stale',
] as const;
const CHANNELS = ['console', 'email', 'sms', 'webhook'] as const;

export const EventNameSchema = Type.Enum([...ACCOUNT_EVENTS, ...STAFF_EVENTS], { title: 'NoticeEvent' });
export const Channel = Type.Enum([...CHANNELS], { title: 'NoticeChannel' });
export const Both = responseObject({ fa: Type.String(), en: Type.String() });

export const NoticeSchema = responseObject(
  {
    object: Type.Literal('notice'),
    id: Type.String(),
    event: EventNameSchema,
    title: Both,
    text: Both,
    data: AnyJson,
    link: nullable(Type.String({ description: 'Where in the console it leads.' })),
    read: Type.Boolean(),
    created_at: Time,
  },
  'Notice',
);

const terms = {
  below: Type.Optional(nullable(TomanInput)),
  pay: Type.Optional(nullable(TomanInput)),
  days_left: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 90 }))),
  percents: Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), { maxItems: 5 })),
  days_before: Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: 60 }), { maxItems: 5 })),
  times: Type.Optional(Type.Number({ minimum: 2, maximum: 100, description: 'How many times its usual spend.' })),
  pause: Type.Optional(Type.Boolean({ description: 'Pauses the key; one click resumes it.' })),
  error_percent: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
};
const TermsInput = inputObject(terms, 'GivenAlertTerms');

export const AlertRuleSchema = responseObject(
  {
    object: Type.Literal('alert_rule'),
    id: Type.String(),
    event: EventNameSchema,
    enabled: Type.Boolean(),
    channels: Type.Array(Channel),
    terms: AnyJson,
    sentence: Both,
  },
  'AlertRule',
);

export const AlertRuleInput = inputObject(
  {
    enabled: Type.Optional(Type.Boolean()),
    channels: Type.Optional(Type.Array(Channel, { maxItems: 4 })),
    terms: Type.Optional(TermsInput),
  },
  'AlertRuleChange',
);

export const TargetSchema = responseObject(
  {
    object: Type.Literal('alert_target'),
    id: Type.String(),
    url: Type.String(),
    enabled: Type.Boolean(),
    problem: nullable(Type.String({ description: 'Why it was switched off by itself.' })),
    created_at: Time,
  },
  'AlertTarget',
);

export const DeliverySchema = responseObject(
  {
    object: Type.Literal('delivery'),
    id: Type.String(),
    notice_id: Type.String(),
    event: EventNameSchema,
    channel: Channel,
    to: Type.String({ description: 'Masked where it is a person’s.' }),
    state: Type.Enum(['waiting', 'sent', 'failed', 'suppressed']),
    tries: Type.Integer(),
    last_status: nullable(Type.Integer()),
    last_problem: nullable(Type.String()),
    next_try_at: nullable(Time),
    created_at: Time,
    sent_at: nullable(Time),
  },
  'Delivery',
);

export const TICKET_CATEGORIES = ['general', 'payment', 'technical', 'limits', 'account'] as const;
export const TICKET_STATES = ['open', 'answered', 'closed'] as const;

const TicketMessageSchema = responseObject(
  {
    id: Type.String(),
    from: Type.Enum(['customer', 'staff', 'system']),
    author: Type.String(),
    text: Type.String(),
    attachments: Type.Array(
      responseObject({ id: Type.String(), name: Type.String(), type: Type.String(), bytes: Type.Integer() }),
    ),
    created_at: Time,
  },
  'TicketMessage',
);

export const TicketSchema = responseObject(
  {
    object: Type.Literal('ticket'),
    id: Type.String(),
    account_id: Type.String(),
    category: Type.Enum([...TICKET_CATEGORIES]),
    subject: Type.String(),
    state: Type.Enum([...TICKET_STATES]),
    unread: Type.Boolean(),
    request_ids: Type.Array(Type.String()),
    wish: nullable(AnyJson),
    wish_state: nullable(Type.Enum(['asked', 'approved', 'declined'])),
    created_at: Time,
    updated_at: Time,
  },
  'Ticket',
);

export const TicketWithMessages = responseObject(
  { ...TicketSchema.properties, messages: Type.Array(TicketMessageSchema) },
  'TicketWithMessages',
);

export const AnnouncementSchema = responseObject(
  {
    object: Type.Literal('announcement'),
    id: Type.String(),
    title: Both,
    text: Both,
    from: Time,
    until: nullable(Time),
  },
  'Announcement',
);

export const IncidentSchema = responseObject(
  {
    object: Type.Literal('incident'),
    id: Type.String(),
    title: Both,
    impact: Type.Enum(['minor', 'major', 'maintenance']),
    vendors: Type.Array(Type.String()),
    state: Type.Enum(['investigating', 'identified', 'monitoring', 'resolved']),
    updates: Type.Array(responseObject({ at: Time, state: Type.String(), text: Both })),
    started_at: Time,
    resolved_at: nullable(Time),
  },
  'Incident',
);
