/** Profit, and requests whose cost is not known yet, described. */
import Type from 'typebox';
import { MONEY_READ, scoped, staff } from '../access.ts';
import { inputObject, nullable, PAGE_QUERY, responseObject, Time, Toman } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';

const tag = 'Payments of customers';

const ProfitRow = responseObject(
  {
    value: Type.String({ description: 'The day, month, vendor, model, account or provider.' }),
    requests: Type.Integer(),
    revenue: Toman,
    provider_cost: Type.String({ description: 'Of answers whose cost is known, in toman.' }),
    waste: Type.String({
      description: 'What providers cost for attempts that were not sold, in toman; known when the day is sealed.',
    }),
    profit: nullable(
      Type.String({
        description: 'In toman. Null while the cost of more than one per cent of the revenue is not known.',
      }),
    ),
    profit_low: Type.String({
      description: 'Of the part whose cost is known; the same as if the rest had cost what it earned.',
    }),
    profit_high: Type.String({ description: 'As if what has no known cost had cost nothing.' }),
    margin_known: nullable(
      Type.Number({ description: 'Share of profit in the revenue whose cost is known, as 0.12; null without any.' }),
    ),
    unknown_cost: Type.Integer({ description: 'Requests that were answered at a cost nobody knows.' }),
    revenue_unknown_cost: Type.String({ description: 'What those were sold for, in toman.' }),
  },
  'ProfitRow',
);

export const getProfit = describeRoute({
  method: 'GET',
  path: '/api/admin/profit',
  operationId: 'getProfit',
  tag,
  access: MONEY_READ,
  summary: { fa: 'سود: درآمد منهای هزینهٔ ارائه‌دهنده', en: 'Profit: revenue less what providers cost' },
  description:
    'From sums that outlive the request log, by days of Tehran; the open day is at most a minute old. Days and months come newest first, the others by revenue. `total` is the sum of the whole period.',
  query: inputObject({
    by: Type.Enum(['day', 'month', 'vendor', 'model', 'account', 'provider']),
    from: Type.Optional(Type.String({ maxLength: 40, description: 'A day; included.' })),
    to: Type.Optional(Type.String({ maxLength: 40, description: 'A day; not included.' })),
    calendar: Type.Optional(Type.Enum(['jalali', 'gregorian'], { description: 'Of months; by default Jalali.' })),
    after: PAGE_QUERY.after,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 100 })),
  }),
  result: responseObject(
    {
      object: Type.Literal('profit'),
      by: Type.String(),
      from: Time,
      to: Time,
      data: Type.Array(ProfitRow),
      total: ProfitRow,
      next: nullable(Type.String({ description: 'Give it as `after` to get the next page; null on the last.' })),
    },
    'ProfitReport',
  ),
});

const CostCorrectionSchema = responseObject(
  {
    object: Type.Literal('cost_correction'),
    id: Type.String(),
    provider: Type.String(),
    model: Type.String(),
    upstream_model: Type.String(),
    state: Type.Enum(['running', 'booked']),
    from: Time,
    requests: Type.Integer({ description: 'Requests whose cost is known by it.' }),
    revenue: Toman,
    amount: Type.String({ description: 'What they cost, in toman.' }),
    created_at: Time,
    booked_at: nullable(Time),
  },
  'CostCorrection',
);

export const getCostTasks = describeRoute({
  method: 'GET',
  path: '/api/admin/tasks/costs',
  operationId: 'getCostTasks',
  tag: 'Prices',
  access: MONEY_READ,
  summary: {
    fa: 'هزینه‌هایی که باید معلوم شود',
    en: 'Costs to look at: used routes without one, routes sold at a loss, bills that are off',
  },
  result: responseObject(
    {
      object: Type.Literal('cost_tasks'),
      without_cost: Type.Array(
        responseObject({
          model: Type.String(),
          provider: Type.String(),
          routes: Type.Array(
            responseObject({
              model: Type.String({ description: 'The provider’s name of the model.' }),
              has_cost: Type.Boolean({
                description: 'It is known by now, and can be counted for months that are not closed.',
              }),
            }),
          ),
          requests: Type.Integer(),
          revenue: Toman,
        }),
        { description: 'Of the last 30 days, by revenue.' },
      ),
      at_a_loss: Type.Array(
        responseObject({
          model: Type.String(),
          provider: Type.String(),
          upstream_model: Type.String(),
          buckets: Type.Array(Type.String(), { description: 'Where a unit costs more than it is sold for.' }),
        }),
      ),
      bills_off: Type.Array(
        responseObject({
          id: Type.String(),
          provider: Type.String(),
          number: Type.String(),
          first_day: Type.String(),
          last_day: Type.String(),
          amount: Toman,
          accrued: { ...Toman, description: 'What was counted for these days.' },
        }),
        { description: 'Bills of the last two months that are more than 5 % off what was counted.' },
      ),
      corrections: Type.Array(CostCorrectionSchema, { description: 'The last ones, newest first.' }),
    },
    'CostTasks',
  ),
});

export const countRouteCost = describeRoute({
  method: 'POST',
  path: '/api/admin/tasks/costs/count',
  operationId: 'countRouteCost',
  tag: 'Prices',
  access: scoped('catalog', staff('owner', 'finance')),
  summary: {
    fa: 'محاسبهٔ هزینه برای درخواست‌های ماه‌های بسته‌نشده',
    en: 'Count a cost that is known by now for the requests of months that are not closed',
  },
  description:
    'Requests of this Jalali month and of up to two before it that are not closed, which were answered by the route at an unknown cost are costed by their usage, in the background; one entry of today books it. A request is counted once, however often it is asked for.',
  body: inputObject(
    {
      model: Type.String({ maxLength: 200 }),
      provider: Type.String({ maxLength: 100 }),
      upstream_model: Type.String({ maxLength: 200 }),
    },
    'CountedRoute',
  ),
  result: CostCorrectionSchema,
  status: 202,
  errors: ['not_found', 'conflict'],
  example: { model: 'openai/gpt-4o-mini', provider: 'openai', upstream_model: 'gpt-4o-mini' },
});
