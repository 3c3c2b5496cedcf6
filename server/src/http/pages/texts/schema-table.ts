/** A schema as a table of fields; nested objects are shown by their dotted names. */

import type { Language, Text } from '@dargah/core/text.ts';
import type { TSchema } from 'typebox';
import { html, type Markup } from '../markup.ts';
import { inLanguage } from './reference-texts.ts';

interface Node {
  type?: string;
  title?: string;
  description?: string;
  'x-description-fa'?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Node[];
  items?: Node;
  properties?: Record<string, Node>;
  required?: string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
}

const TEXTS = {
  field: { fa: 'فیلد', en: 'Field' },
  type: { fa: 'نوع', en: 'Type' },
  meaning: { fa: 'معنا', en: 'Meaning' },
  required: { fa: 'لازم', en: 'required' },
  table: { fa: 'فیلدها', en: 'Fields' },
} satisfies Record<string, Text>;

/** Deeper fields are named by their type only; the OpenAPI document has the rest. */
const MAX_DEPTH = 3;

export function schemaTable(schema: TSchema, language: Language): Markup {
  const rows = fieldsOf(schema as Node, '', 1);
  if (rows.length === 0) return html`<p><code class="name-code">${typeName(schema as Node)}</code></p>`;
  const say = (text: Text) => text[language];
  return html`<div class="sideways" role="group" tabindex="0" aria-label="${say(TEXTS.table)}"><table class="table fields"><thead><tr><th scope="col">${say(TEXTS.field)}</th><th scope="col">${say(TEXTS.type)}</th><th scope="col">${say(TEXTS.meaning)}</th></tr></thead><tbody>${rows.map(
    ({ name, node, isRequired }) =>
      html`<tr><th scope="row"><code class="name-code">${name}</code>${isRequired ? html` <span class="must">${say(TEXTS.required)}</span>` : undefined}</th><td><span class="type">${typeName(node)}${bounds(node)}</span></td><td>${meaning(node, language)}</td></tr>`,
  )}</tbody></table></div>`;
}

/** Names and meanings of its fields, for searching. */
export function schemaWords(schema: TSchema, language: Language): string {
  return fieldsOf(schema as Node, '', 1)
    .map(({ name, node }) => {
      const described = node.description === undefined ? solid(node) : node;
      const own = language === 'fa' ? described['x-description-fa'] : undefined;
      return `${name} ${own ?? inLanguage(described.description ?? '', language).text}`;
    })
    .join(' ');
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

/** Returns the node without the null that SDKs may send. */
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

/** ` 1–200 = 50`: what it may be, and what it is when it is left out. */
function bounds(node: Node): string {
  const { minimum, maximum, maxLength, maxItems, default: usual } = { ...solid(node), ...node };
  const range =
    minimum !== undefined && maximum !== undefined
      ? ` ${minimum}–${maximum}`
      : maxLength !== undefined
        ? ` ≤${maxLength}`
        : maxItems !== undefined
          ? ` ≤${maxItems}`
          : '';
  return `${range}${usual === undefined ? '' : ` = ${JSON.stringify(usual)}`}`;
}

function meaning(node: Node, language: Language): Markup | undefined {
  const described = node.description === undefined ? solid(node) : node;
  if (described.description === undefined) return undefined;
  const own = described['x-description-fa'];
  if (language === 'fa' && own !== undefined) return withCode(own, 'fa');
  return sentence(described.description, language);
}

/** A sentence in the reader's language; one that is only there in English stands left to right. */
export function sentence(english: string, language: Language): Markup {
  const { text, language: of } = inLanguage(english, language);
  const shown = withCode(text, of);
  return of === language ? shown : html`<span lang="en" dir="ltr">${shown}</span>`;
}

/** Field names stand in backticks in English and in «» in Persian; a page shows both as code. */
const WIRE: Record<Language, RegExp> = { fa: /«([^»\u0600-\u06ff]{1,200})»/, en: /`([^`]{1,200})`/ };

function withCode(text: string, language: Language): Markup {
  return html`${text
    .split(WIRE[language])
    .map((part, at) => (at % 2 === 1 ? html`<code class="name-code">${part}</code>` : html`${part}`))}`;
}
