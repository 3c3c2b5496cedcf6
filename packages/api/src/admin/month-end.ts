/** Months of the books, described: what is to be done before one is closed, and who closes it. */
import Type from 'typebox';
import { MONEY_READ, staff } from '../access.ts';
import { inputObject, nullable, pageOf, responseObject, Time, Toman } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';

const tag = 'Service';
const path = '/api/admin/books';
const FINANCE = staff('owner', 'finance');
const CLOSING = { ...FINANCE, freshProof: true } as const;

const Day = Type.String({ description: 'A day of Tehran, `2026-11-15`.' });

const span = {
  id: Type.String({ examples: ['1405-08'] }),
  first_day: Day,
  last_day: Day,
};

const PeriodSchema = responseObject(
  {
    object: Type.Literal('books_period'),
    ...span,
    calendar: Type.Enum(['jalali', 'gregorian']),
    state: Type.Enum(['running', 'open', 'asked', 'closed'], {
      description:
        '`running`: it has not ended. `open`: it has. `asked`: somebody asked to close it, and another person decides. `closed`: for ever.',
    }),
    closable_from: { ...Day, description: 'The first day on which it may be closed.' },
    asked_by: nullable(Type.String()),
    asked_by_name: nullable(Type.String()),
    asked_at: nullable(Time),
    approved_by: nullable(Type.String()),
    approved_by_name: nullable(Type.String()),
    closed_at: nullable(Time),
    alone: Type.Boolean({ description: 'Approved by whoever asked, because there was nobody else.' }),
    sentences: Type.Record(Type.String(), Type.String(), {
      description: 'What was written about each thing that was amber.',
    }),
  },
  'BooksPeriod',
);

const MonthCheckSchema = responseObject(
  {
    id: Type.String(),
    level: Type.Enum(['red', 'amber'], { description: 'Red forbids to close; amber needs a sentence.' }),
    count: Type.Integer({ description: '0: nothing is to be done.' }),
    amount: nullable(Toman),
    link: Type.String({ description: 'Where in the console it is put right.' }),
  },
  'MonthCheck',
);

const PeriodWithChecks = responseObject(
  { ...PeriodSchema.properties, checks: Type.Array(MonthCheckSchema) },
  'BooksPeriodWithChecks',
);

export const listPeriods = describeRoute({
  method: 'GET',
  path: '/api/admin/periods',
  operationId: 'listPeriods',
  tag,
  summary: { fa: 'ماه‌های دفترها', en: 'Months of the books, newest first' },
  query: inputObject({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 240 })) }),
  result: pageOf(PeriodSchema),
  access: MONEY_READ,
});

export const getPeriod = describeRoute({
  method: 'GET',
  path: '/api/admin/periods/:id',
  operationId: 'getPeriod',
  tag,
  summary: { fa: 'یک ماه و کارهای پیش از بستن', en: 'One month, and what is to be done before it is closed' },
  params: { id: 'Of the month: `1405-08`.' },
  result: PeriodWithChecks,
  errors: ['not_found'],
  access: MONEY_READ,
});

export const askClosing = describeRoute({
  method: 'POST',
  path: '/api/admin/periods/:id/closing',
  operationId: 'askClosing',
  tag,
  summary: { fa: 'درخواست بستن ماه', en: 'Ask to close a month' },
  description:
    'Months close in order, from the second day after their end. Nothing red may be left, and each thing that is amber needs a sentence. Another person of finance, or an owner, then decides.',
  params: { id: 'Of the month: `1405-08`.' },
  body: inputObject(
    { sentences: Type.Optional(Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 500 }))) },
    'MonthClosing',
  ),
  result: PeriodSchema,
  errors: ['not_found', 'conflict', 'proof_required'],
  access: CLOSING,
});

export const decideClosing = describeRoute({
  method: 'POST',
  path: '/api/admin/periods/:id/closing/decision',
  operationId: 'decideClosing',
  tag,
  summary: { fa: 'تأیید یا رد بستن ماه', en: 'Approve that a month is closed, or refuse it' },
  description: 'A closed month never opens again. An owner who is alone may approve what they asked 15 minutes before.',
  params: { id: 'Of the month: `1405-08`.' },
  body: inputObject({ approve: Type.Boolean() }, 'MonthClosingDecision'),
  result: PeriodSchema,
  errors: ['not_found', 'conflict', 'proof_required'],
  access: CLOSING,
});

const RuleSchema = responseObject(
  {
    object: Type.Literal('books_rule'),
    calendar: Type.Enum(['jalali', 'gregorian'], { description: 'Whose months are those of the books.' }),
    calendar_fixed: Type.Boolean({ description: 'A month is closed, or asked to be: the calendar stays.' }),
    tax_send_days: Type.Integer({
      description: 'Within so many days of issue an invoice goes to the tax office; 0: none does.',
    }),
    tax_service_id: Type.String({ description: 'What the tax office calls the service (`sstid`).' }),
  },
  'BooksRule',
);

export const getBooksRule = describeRoute({
  method: 'GET',
  path: `${path}/rule`,
  operationId: 'getBooksRule',
  tag,
  summary: {
    fa: 'تقویم دفترها و مهلت مالیاتی',
    en: 'The calendar of the books, and the time that the tax office gives',
  },
  result: RuleSchema,
  access: MONEY_READ,
});

export const changeBooksRule = describeRoute({
  method: 'PATCH',
  path: `${path}/rule`,
  operationId: 'changeBooksRule',
  tag,
  summary: {
    fa: 'تغییر تقویم دفترها و مهلت مالیاتی',
    en: 'Change the calendar of the books, or the time that the tax office gives',
  },
  body: inputObject(
    {
      calendar: Type.Optional(Type.Enum(['jalali', 'gregorian'])),
      tax_send_days: Type.Optional(Type.Integer({ minimum: 0, maximum: 90 })),
      tax_service_id: Type.Optional(Type.String({ maxLength: 32, pattern: '^[0-9]*$' })),
    },
    'BooksRuleChange',
  ),
  result: RuleSchema,
  errors: ['conflict'],
  access: FINANCE,
});
