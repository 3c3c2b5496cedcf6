/**
 * Validates requests by the schema of their route. The same schema is written into the OpenAPI document, so that what
 * is documented and what is refused cannot drift apart. Passing costs one compiled function, made with the first call:
 * there are hundreds of routes, and most processes are asked for a few of them. Error texts are made only on failure.
 */

import type { Text } from '@dargah/core/text.ts';
import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { type GatewayError, invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { reasons } from '../../core/reasons.ts';

export type SchemaCheck<T extends TSchema = TSchema> = (value: unknown) => asserts value is Static<T>;

/** `root` names the value in messages about itself: `body`, `query`. */
export function compileCheck<T extends TSchema>(schema: T, root = 'body'): SchemaCheck<T> {
  let validator: Validator<Record<string, never>, T> | undefined;
  return (value) => {
    validator ??= Compile(schema);
    if (!validator.Check(value)) throw refusal(validator.Errors(value), schema, root);
  };
}

interface Complaint {
  keyword: string;
  schemaPath: string;
  instancePath: string;
  params: object;
}

function refusal(complaints: Complaint[], schema: TSchema, root: string): GatewayError {
  // A closed object reports each unknown field twice; the object's own report knows what is allowed.
  const [first] = complaints.filter(({ keyword }) => keyword !== 'boolean');
  if (!first) return invalidRequest(root, reasons.mustBe(root, expected.valid));
  const params = first.params as Record<string, unknown>;
  if (first.keyword === 'required') {
    const [missing = root] = params['requiredProperties'] as string[];
    const param = dotted(`${first.instancePath}/${missing}`, root);
    return invalidRequest(param, reasons.required(param));
  }
  if (first.keyword === 'additionalProperties') {
    const [unknown = root] = params['additionalProperties'] as string[];
    const param = dotted(`${first.instancePath}/${unknown}`, root);
    return invalidRequest(param, reasons.notKnownAmong(param, Object.keys(propertiesAt(schema, first.schemaPath))));
  }
  const param = dotted(first.instancePath, root);
  return invalidRequest(param, wording(first.keyword, params, param, complaints, first.instancePath));
}

const TYPE_LABELS: Record<string, Text> = {
  string: expected.text,
  integer: expected.integer,
  number: expected.number,
  boolean: expected.flag,
  array: expected.list,
  object: expected.object,
  null: expected.nothing,
};

const COMPARISONS: Record<string, Text> = {
  '>=': { fa: 'حداقل', en: '>=' },
  '>': { fa: 'بیش از', en: '>' },
  '<=': { fa: 'حداکثر', en: '<=' },
  '<': { fa: 'کمتر از', en: '<' },
};

function wording(
  keyword: string,
  params: Record<string, unknown>,
  param: string,
  complaints: Complaint[],
  instancePath: string,
) {
  const { limit } = params as { limit?: number };
  switch (keyword) {
    case 'type': {
      const here = complaints.filter((one) => one.keyword === 'type' && one.instancePath === instancePath);
      const names = here.map((one) => String((one.params as { type?: unknown }).type));
      const words = [...new Set(names)].map((name) => TYPE_LABELS[name] ?? expected.exactly(name));
      return reasons.mustBe(param, expected.either(...words));
    }
    case 'enum':
      return reasons.oneOf(param, (params['allowedValues'] as unknown[]).map(String));
    case 'const': {
      const here = complaints.filter((one) => one.keyword === 'const' && one.instancePath === instancePath);
      return reasons.oneOf(
        param,
        here.map((one) => String((one.params as { allowedValue?: unknown }).allowedValue)),
      );
    }
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return reasons.tooLong(param, limit ?? 0);
    case 'minLength':
    case 'minItems':
      return reasons.mustBe(param, expected.atLeastLong(limit ?? 0));
    case 'minimum':
    case 'exclusiveMinimum':
    case 'maximum':
    case 'exclusiveMaximum':
      return reasons.mustBe(param, compared(String(params['comparison']), limit ?? 0));
    case 'pattern':
      return reasons.mustBe(param, expected.shapedAs(String(params['pattern'])));
    default:
      return reasons.mustBe(param, expected.valid);
  }
}

function compared(sign: string, limit: number): Text {
  const { fa, en } = COMPARISONS[sign] ?? expected.exactly(sign);
  return { fa: `${fa} ${limit}`, en: `${en} ${limit}` };
}

/** `/messages/0/content` → `messages.0.content`. */
function dotted(pointer: string, root: string): string {
  const steps = pointer.split('/').slice(1);
  return steps.length === 0 ? root : steps.map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~')).join('.');
}

function propertiesAt(schema: TSchema, schemaPath: string): object {
  let node: unknown = schema;
  for (const step of schemaPath.split('/').slice(1)) node = (node as Record<string, unknown> | undefined)?.[step];
  return (node as { properties?: object } | undefined)?.properties ?? {};
}
