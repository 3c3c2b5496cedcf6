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

export async function readContract(origin: string, operatorToken: string): Promise<Contract> {
  const document = await readDocument(origin, operatorToken);
  // `/keys/{id}` would also take `/keys/spend`: what names more stands first.
  const parameters = (template: string) => template.split('{').length;
  const templates = Object.keys(document.paths).sort((one, other) => parameters(one) - parameters(other));
  const compiled = new Map<string, ReturnType<typeof Compile>>();
  return {
    check(method, url, status, answer) {
      const path = url.split('?')[0] ?? '';
      const template = templates.find((one) => matches(one, path));
      const operation = document.paths[template ?? '']?.[method.toLowerCase()];
      const schema = operation?.responses[status]?.content['application/json']?.schema;
      if (!schema) throw new Error(`${method} ${path} → ${status} is not in the document`);
      const id = `${method} ${template} ${status}`;
      const validator = compiled.get(id) ?? Compile(inlined(schema, document) as TSchema);
      compiled.set(id, validator);
      if (!validator.Check(answer))
        throw new Error(`${id}: ${JSON.stringify(validator.Errors(answer).slice(0, 3))} in ${JSON.stringify(answer)}`);
    },
  };
}

function matches(template: string, path: string): boolean {
  return new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
}

function inlined(node: unknown, document: Document): unknown {
  if (Array.isArray(node)) return node.map((item) => inlined(item, document));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref } = node as { $ref?: string };
  if ($ref !== undefined) return inlined(document.components.schemas[$ref.split('/').at(-1) ?? ''], document);
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inlined(value, document)]));
}
