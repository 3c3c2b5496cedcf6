/** The published OpenAPI document as a judge of answers: what the server says about itself must be true. */
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, { content: Record<string, { schema: object }> }> }>>;
  components: { schemas: Record<string, object> };
}

export interface Contract {
  check(method: string, url: string, status: number, answer: unknown): void;
}

/** The operator's document: it holds every endpoint, the public ones too. */
export async function readDocument(origin: string, operatorToken: string): Promise<Document> {
  const headers = { authorization: `Bearer ${operatorToken}` };
  return (await (await fetch(`${origin}/api/admin/openapi.json`, { headers })).json()) as Document;
}

type Validator = ReturnType<typeof Compile>;

/** By the text of the schema: every gateway of a process publishes the same ones, and to compile one takes longer than most tests. */
const compiledBefore = new Map<string, Validator>();

function validatorOf(schema: unknown): Validator {
  const text = JSON.stringify(schema);
  const validator = compiledBefore.get(text) ?? Compile(schema as TSchema);
  compiledBefore.set(text, validator);
  return validator;
}

export async function readContract(origin: string, operatorToken: string): Promise<Contract> {
  const document = await readDocument(origin, operatorToken);
  // `/keys/{id}` would also take `/keys/spend`: what names more stands first.
  const parameters = (template: string) => template.split('{').length;
  const templates = Object.keys(document.paths)
    .sort((one, other) => parameters(one) - parameters(other))
    .map((template) => ({ template, pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`) }));
  const validators = new Map<string, Validator>();
  return {
    check(method, url, status, answer) {
      const path = url.split('?')[0] ?? '';
      const { template } = templates.find(({ pattern }) => pattern.test(path)) ?? {};
      const operation = document.paths[template ?? '']?.[method.toLowerCase()];
      const schema = operation?.responses[status]?.content['application/json']?.schema;
      if (!schema) throw new Error(`${method} ${path} → ${status} is not in the document`);
      const id = `${method} ${template} ${status}`;
      const validator = validators.get(id) ?? validatorOf(inlined(schema, document));
      validators.set(id, validator);
      if (!validator.Check(answer))
        throw new Error(`${id}: ${JSON.stringify(validator.Errors(answer).slice(0, 3))} in ${JSON.stringify(answer)}`);
    },
  };
}

function inlined(node: unknown, document: Document): unknown {
  if (Array.isArray(node)) return node.map((item) => inlined(item, document));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref } = node as { $ref?: string };
  if ($ref !== undefined) return inlined(document.components.schemas[$ref.split('/').at(-1) ?? ''], document);
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inlined(value, document)]));
}
