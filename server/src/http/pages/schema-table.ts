/** A schema as a table of fields; nested objects are shown by their dotted names. */
import type { TSchema } from 'typebox';
import type { Language } from '../../core/errors.ts';
import { html, type Markup } from './markup.ts';

interface Node {
  type?: string;
  title?: string;
  description?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Node[];
  items?: Node;
  properties?: Record<string, Node>;
  required?: string[];
  patternProperties?: object;
}

/** Deeper fields are named by their type; the OpenAPI document tells the rest. */
const MAX_DEPTH = 3;

export function fieldTable(schema: TSchema, language: Language): Markup {
  const rows = fieldsOf(schema as Node, '', 1);
  if (rows.length === 0) return html`<p><code>${typeName(schema as Node)}</code></p>`;
  const required = language === 'fa' ? 'لازم' : 'required';
  return html`<div class="scroll"><table><tbody>${rows.map(
    ({ name, node, isRequired }) =>
      html`<tr><td><code>${name}</code>${isRequired ? html` <span class="tag">${required}</span>` : undefined}</td><td dir="ltr"><span class="soft">${typeName(node)}</span></td><td dir="ltr" class="soft">${describe(node)}</td></tr>`,
  )}</tbody></table></div>`;
}

interface Field {
  name: string;
  node: Node;
  isRequired: boolean;
}

function fieldsOf(schema: Node, prefix: string, depth: number): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, node]): Field[] => {
    const name = `${prefix}${key}`;
    const field = { name, node, isRequired: schema.required?.includes(key) ?? false };
    if (depth >= MAX_DEPTH) return [field];
    const inner = solid(node);
    if (inner.properties) return [field, ...fieldsOf(inner, `${name}.`, depth + 1)];
    const item = inner.items && solid(inner.items);
    return item?.properties ? [field, ...fieldsOf(item, `${name}[].`, depth + 1)] : [field];
  });
}

/** Without the null that SDKs may send. */
function solid(node: Node): Node {
  const rest = node.anyOf?.filter((one) => one.type !== 'null') ?? [];
  return rest.length === 1 && rest[0] ? rest[0] : node;
}

function typeName(node: Node): string {
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.enum) return node.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (node.anyOf) return [...new Set(node.anyOf.map(typeName))].join(' | ');
  if (node.type === 'array') return `${node.items ? typeName(node.items) : 'any'}[]`;
  return node.title ?? node.type ?? 'any';
}

function describe(node: Node): string {
  return node.description ?? solid(node).description ?? '';
}
