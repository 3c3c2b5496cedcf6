/** `/docs`: the reference, written from the same descriptions as the OpenAPI document. The operator's endpoints are not in it. */

import type { RouteDescription } from '@dargah/api/describe-route.ts';
import { ERRORS, type ErrorCode } from '@dargah/core/error-registry.ts';
import type { Language, Text } from '@dargah/core/text.ts';
import type { TSchema } from 'typebox';
import { count } from '../figures.ts';
import type { FramedPage } from '../frame.ts';
import { html, type Markup } from '../markup.ts';
import { codeBlock, sampleList } from '../samples.ts';
import type { PageVisit } from '../visit.ts';
import { docsSearchBox } from './docs-search-box.ts';
import { endpointSamples } from './endpoint-samples.ts';
import { tagName } from './reference-texts.ts';
import { schemaTable, sentence } from './schema-table.ts';

const TEXTS = {
  title: { fa: 'مرجع API', en: 'API reference' },
  lead: {
    fa: 'هر آدرس با بدنه، پاسخ و نمونه‌ای که می‌شود اجرایش کرد. کلید در هدر «Authorization» یا «x-api-key» می‌آید، مبلغ‌ها تومان و متن دقیق است و هر پاسخ «x-svc-request-id» دارد.',
    en: 'Every address with its body, its answer and a sample that runs. The key goes in Authorization or x-api-key, amounts are toman as exact text, and every answer carries x-svc-request-id.',
  },
  machine: { fa: 'همین‌ها برای ابزارها: سند OpenAPI', en: 'The same for tools: the OpenAPI document' },
  contents: { fa: 'در این مرجع', en: 'In this reference' },
  models: { fa: 'مدل‌ها، با کلید API', en: 'Models, with an API key' },
  console: { fa: 'پنل، با نشست یا کلید مدیریت', en: 'Console, with a session or a management key' },
  errors: { fa: 'خطاها', en: 'Errors' },
  params: { fa: 'در آدرس', en: 'In the address' },
  body: { fa: 'بدنهٔ درخواست', en: 'Request body' },
  query: { fa: 'پارامترهای آدرس', en: 'Query' },
  answer: { fa: 'پاسخ', en: 'Answer' },
  codes: { fa: 'خطاهای ویژه', en: 'Errors of its own' },
  tryIt: { fa: 'امتحان کنید', en: 'Try it' },
  copy: { fa: 'کپی نمونه', en: 'Copy the sample' },
  status: { fa: 'وضعیت', en: 'Status' },
  code: { fa: 'کد', en: 'Code' },
  meaning: { fa: 'معنا', en: 'Meaning' },
  retry: { fa: 'تلاش دوباره', en: 'Retry' },
  yes: { fa: 'بله', en: 'yes' },
  no: { fa: 'نه', en: 'no' },
} satisfies Record<string, Text>;

interface Part {
  id: string;
  name: string;
  endpoints: RouteDescription[];
}

export function referencePage(visit: PageVisit, endpoints: readonly RouteDescription[]): FramedPage {
  const { language } = visit;
  const say = (text: Text) => text[language];
  const isConsole = ({ path }: RouteDescription) => path.startsWith('/api/console');
  const groups: [name: Text, parts: Part[]][] = [
    [
      TEXTS.models,
      partsOf(
        endpoints.filter((one) => !isConsole(one)),
        language,
      ),
    ],
    [TEXTS.console, partsOf(endpoints.filter(isConsole), language)],
  ];
  return {
    title: say(TEXTS.title),
    description: say(TEXTS.lead),
    content: html`${docsSearchBox(language)}<div class="with-contents">${contents(groups, language)}<div class="stack"><div class="lede"><h1>${say(TEXTS.title)}</h1><p>${isolated(say(TEXTS.lead))} <a href="/api/openapi.json">${say(TEXTS.machine)}</a></p></div>
${groups.map(([name, parts]) => html`<h2>${say(name)}</h2>${parts.map((part) => partPanel(part, visit))}`)}
<section class="panel" aria-labelledby="errors"><div class="head ruled"><h2 id="errors">${say(TEXTS.errors)}</h2></div>${errorTable(language)}</section></div></div>`,
  };
}

/** Names between «» are Latin: each stays in one piece and runs left to right, whatever the line around it does. */
function isolated(text: string): Markup[] {
  return text
    .split(/(«[\w-]{1,60}»)/)
    .map((part) =>
      part.startsWith('«') ? html`<bdi class="nowrap" dir="ltr">${part.slice(1, -1)}</bdi>` : html`${part}`,
    );
}

/** Groups endpoints by tag; a tag that both groups have is two parts, each with an id of its own. */
function partsOf(endpoints: readonly RouteDescription[], language: Language): Part[] {
  const area = endpoints[0]?.path.startsWith('/api/console') ? 'console-' : '';
  return [...new Set(endpoints.map(({ tag }) => tag))].map((tag) => ({
    id: `${area}${tag.toLowerCase().replace(/[^a-z]{1,200}/g, '-')}`,
    name: tagName(tag, language),
    endpoints: endpoints.filter((one) => one.tag === tag),
  }));
}

function contents(groups: readonly [Text, Part[]][], language: Language): Markup {
  return html`<nav class="contents" aria-label="${TEXTS.contents[language]}">${groups.map(
    ([name, parts]) =>
      html`<details><summary>${name[language]}</summary><ul>${parts.map(({ id, name: part }) => html`<li><a href="#${id}">${part}</a></li>`)}</ul></details>`,
  )}<ul><li><a href="#errors">${TEXTS.errors[language]}</a></li></ul></nav>`;
}

function partPanel({ id, name, endpoints }: Part, visit: PageVisit): Markup {
  return html`<section class="panel"><div class="head"><h3 id="${id}">${name}</h3><span class="unit">${count(endpoints.length, visit.language)}</span></div>${endpoints.map((one) => entry(one, visit))}</section>`;
}

function entry(endpoint: RouteDescription, visit: PageVisit): Markup {
  const { language } = visit;
  const { method, summary, description, query, body, result, errors = [], params = {} } = endpoint;
  const part = (title: Text, content: Markup | undefined) =>
    content === undefined ? undefined : html`<section><h4>${title[language]}</h4>${content}</section>`;
  const fields = (schema: TSchema | undefined) => (schema === undefined ? undefined : schemaTable(schema, language));
  const named = Object.entries(params);
  return html`<details class="endpoint" id="${endpoint.operationId}"><summary><span class="method ${method}">${method}</span><span class="path">${shownPath(endpoint)}</span><span class="what">${summary[language]}</span></summary><div class="inside">${description === undefined ? undefined : html`<p class="text mid">${sentence(description, language)}</p>`}${part(TEXTS.tryIt, tries(endpoint, visit))}${part(TEXTS.params, named.length === 0 ? undefined : html`<dl class="facts">${named.map(([name, text]) => html`<dt><code class="name-code">${name}</code></dt><dd>${sentence(text, language)}</dd>`)}</dl>`)}${part(TEXTS.query, fields(query))}${part(TEXTS.body, fields(body))}${part(TEXTS.answer, fields(result))}${part(TEXTS.codes, errors.length === 0 ? undefined : html`<p>${errors.map((code) => html`<code class="name-code">${code}</code> `)}</p>`)}</div></details>`;
}

export function shownPath({ path }: RouteDescription): string {
  return path.replace(/\/:(\w+)/g, '/{$1}');
}

/** Shows endpoints of a key in four languages; those of the console by curl, since few programs call them. */
function tries(endpoint: RouteDescription, { language, origin }: PageVisit): Markup {
  if (endpoint.access.guard !== 'key') return codeBlock(curl(endpoint, origin), TEXTS.copy[language]);
  return sampleList(endpointSamples(endpoint, origin, language), language, 5);
}

function curl(endpoint: RouteDescription, origin: string): string {
  const { method, access, body, example } = endpoint;
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${origin}${shownPath(endpoint)}`];
  if (access.guard === 'console') lines.push('-H "Authorization: Bearer $DARGAH_MANAGEMENT_KEY"');
  if (body !== undefined) lines.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(example ?? {})}'`);
  return lines.join(' \\\n  ');
}

function errorTable(language: Language): Markup {
  const say = (text: Text) => text[language];
  const codes = Object.keys(ERRORS) as ErrorCode[];
  return html`<div class="sideways" role="group" tabindex="0" aria-label="${say(TEXTS.errors)}"><table class="table fields"><thead><tr><th scope="col">${say(TEXTS.code)}</th><th scope="col">${say(TEXTS.status)}</th><th scope="col">${say(TEXTS.meaning)}</th><th scope="col">${say(TEXTS.retry)}</th></tr></thead><tbody>${codes.map(
    (code) => {
      const { status, text, shouldRetry } = ERRORS[code];
      return html`<tr id="error-${code}"><th scope="row"><code class="name-code">${code}</code></th><td class="tnum">${count(status, language)}</td><td>${text[language]}</td><td>${say(shouldRetry ? TEXTS.yes : TEXTS.no)}</td></tr>`;
    },
  )}</tbody></table></div>`;
}
