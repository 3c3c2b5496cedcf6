/** The tester of a key's rules, described: it lists every rule in order and spends nothing. */
import Type from 'typebox';
import { AnyJson, inputObject, nullable, responseObject, Toman } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { READ_KEYS } from './keys.ts';

/** The result of a dry run: each rule in the order of checking, the first that refuses, and the numbers behind it. */
const DryRun = responseObject(
  {
    object: Type.Literal('dry_run'),
    passes: Type.Boolean(),
    rules: Type.Array(
      responseObject(
        {
          rule: Type.String(),
          verdict: Type.Enum(['passes', 'refuses', 'not_reached']),
          code: nullable(Type.String({ description: 'The error a real request would get.' })),
          detail: Type.Record(Type.String(), AnyJson),
          message: nullable(Type.String()),
        },
        'RuleVerdict',
      ),
    ),
    model: nullable(Type.String()),
    tokens: nullable(responseObject({ input: Type.Integer(), output: Type.Integer() })),
    price: nullable(responseObject({ version: Type.String(), least: Toman, most: Toman })),
    hold: nullable(Toman),
    routes: Type.Array(
      responseObject({ order: Type.Integer(), provider: nullable(Type.String()), reason: Type.String() }, 'DryRoute'),
    ),
  },
  'DryRun',
);

export const testKey = describeRoute({
  method: 'POST',
  path: '/api/console/keys/:id/test',
  operationId: 'testOwnKey',
  tag: 'Keys of the account',
  access: READ_KEYS,
  summary: {
    fa: 'آزمایش قواعد کلید بدون هزینه',
    en: 'Would this request pass? Every rule in its order; nothing is spent',
  },
  body: inputObject(
    {
      endpoint: Type.Optional(Type.Enum(['chat.completions', 'messages', 'responses'])),
      request: Type.Record(Type.String(), AnyJson, { description: 'The body as it would be sent.' }),
      ip: Type.Optional(Type.String({ maxLength: 64, description: 'From where; your own address when absent.' })),
      referrer: Type.Optional(Type.String({ maxLength: 512 })),
      at: Type.Optional(
        Type.String({ maxLength: 40, description: 'RFC 3339, or a day of either calendar; for keys that expire.' }),
      ),
    },
    'KeyTest',
  ),
  result: DryRun,
  errors: ['not_found'],
  example: { request: { model: 'sandbox/echo', messages: [{ role: 'user', content: 'سلام' }] }, ip: '203.0.113.7' },
});
