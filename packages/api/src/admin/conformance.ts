/** The live conformance matrix, described: what every route was asked to prove, and asking it now. */
import { PROBE_IDS, PROBE_VERDICTS } from '@dargah/core/probes.ts';
import Type from 'typebox';
import { STAFF_READ, scoped, staff } from '../access.ts';
import { inputObject, nullable, pageOf, responseObject, Time, TomanInput } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';

const tag = 'Conformance';
const path = '/api/admin/conformance';
const Probe = Type.Enum([...PROBE_IDS], { title: 'ProbeName' });
const Verdict = Type.Enum([...PROBE_VERDICTS], {
  title: 'ProbeVerdict',
  description: '`unknown`: the provider could not be asked.',
});

const RunSchema = responseObject(
  {
    object: Type.Literal('conformance_run'),
    id: Type.String(),
    night: nullable(Type.String({ description: 'The day of Tehran whose night it is; `null`: begun by hand.' })),
    actor: Type.String(),
    model: nullable(Type.String()),
    route: nullable(Type.String()),
    budget: Type.String({ description: 'Toman.' }),
    spent: Type.String({ description: 'Toman; by the price of the model where the cost of a route is not known.' }),
    asked: Type.Integer(),
    failed: Type.Integer(),
    changed: Type.Integer({ description: 'Results that change what customers are offered.' }),
    left_out: Type.Integer({ description: 'Probes for which the budget did not reach.' }),
    started_at: Time,
    ended_at: nullable(Time),
    ending: nullable(Type.Enum(['done', 'budget', 'stopped'])),
  },
  'ConformanceRun',
);

const ResultSchema = responseObject(
  {
    probe: Probe,
    verdict: Verdict,
    detail: nullable(Type.String({ description: 'What was wrong.' })),
    duration_ms: Type.Integer(),
    asked_at: Time,
    since: { ...Time, description: 'Since when it is so.' },
  },
  'ConformanceResult',
);

const RouteSchema = responseObject(
  {
    model: Type.String(),
    route: Type.String(),
    provider: Type.String(),
    results: Type.Array(ResultSchema),
  },
  'ConformanceOfRoute',
);

export const getConformance = describeRoute({
  method: 'GET',
  path,
  operationId: 'getConformance',
  tag,
  access: STAFF_READ,
  summary: { fa: 'ماتریس آزمون مسیرها', en: 'What every route in use proved' },
  description: 'Routes in use, by model; those that fail something first. 100 a page.',
  query: inputObject({
    model: Type.Optional(Type.String({ maxLength: 256 })),
    after: Type.Optional(Type.String({ maxLength: 600, description: '`next` of the page before.' })),
  }),
  result: responseObject(
    {
      object: Type.Literal('conformance'),
      budget: Type.String({ description: 'Toman of a night; 0: nothing is asked.' }),
      routes: Type.Array(RouteSchema),
      runs: Type.Array(RunSchema, { description: 'The newest.' }),
      next: nullable(Type.String()),
    },
    'Conformance',
  ),
});

export const listConformanceHistory = describeRoute({
  method: 'GET',
  path: `${path}/history`,
  operationId: 'listConformanceHistory',
  tag,
  access: STAFF_READ,
  summary: { fa: 'نتیجه‌های پیشین یک مسیر', en: 'What a route proved before, newest first' },
  query: inputObject({
    model: Type.String({ maxLength: 256 }),
    route: Type.String({ maxLength: 512 }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 600 })),
  }),
  result: pageOf(
    responseObject({ probe: Probe, verdict: Verdict, detail: nullable(Type.String()), asked_at: Time }, 'PastResult'),
  ),
});

export const beginConformanceRun = describeRoute({
  method: 'POST',
  path: `${path}/runs`,
  operationId: 'beginConformanceRun',
  tag,
  access: scoped('providers', staff('owner')),
  summary: { fa: 'آزمون مسیرها همین حالا', en: 'Probe routes now' },
  description:
    'Asks every route of the model, one route, or all, one probe at a time, and goes on by itself. What it costs is the operator’s. One run at a time.',
  body: inputObject(
    {
      model: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 256 }))),
      route: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 512 }))),
      budget: Type.Optional(nullable(TomanInput)),
    },
    'NewConformanceRun',
  ),
  status: 202,
  result: RunSchema,
  errors: ['conflict'],
  example: { model: 'openai/gpt-5', budget: '50000' },
});

export const getConformanceRun = describeRoute({
  method: 'GET',
  path: `${path}/runs/:id`,
  operationId: 'getConformanceRun',
  tag,
  access: STAFF_READ,
  summary: { fa: 'یک آزمون', en: 'A run of probes' },
  result: RunSchema,
  errors: ['not_found'],
});

export const forgetConformance = describeRoute({
  method: 'POST',
  path: `${path}/forget`,
  operationId: 'forgetConformance',
  tag,
  access: scoped('providers', staff('owner')),
  summary: { fa: 'حذف نتیجه‌های یک مسیر', en: 'Forget what a route proved' },
  description: 'The route is offered again as the catalog has it, until it is asked again.',
  body: inputObject(
    { model: Type.String({ minLength: 1, maxLength: 256 }), route: Type.String({ minLength: 1, maxLength: 512 }) },
    'ForgottenConformance',
  ),
  result: responseObject({ forgotten: Type.Integer() }, 'ConformanceForgotten'),
  example: { model: 'openai/gpt-5', route: 'openai:gpt-5' },
});
