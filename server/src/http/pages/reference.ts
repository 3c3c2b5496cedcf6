/** `/docs`: the reference, written from the same descriptions as the OpenAPI document. */
import type { TSchema } from 'typebox';
import { ERRORS, type ErrorCode, type Language, type Text } from '../../core/errors.ts';
import type { RouteDescription } from '../routes/describe-route.ts';
import { layout, type PageRequest } from './layout.ts';
import { html, type Markup } from './markup.ts';
import { fieldTable } from './schema-table.ts';

const WORDS = {
  title: { fa: 'راهنمای API', en: 'API reference' },
  lead: {
    fa: 'کلید در سرآیند «Authorization: Bearer» یا «x-api-key». مبلغ‌ها تومان و متن دقیق. پاسخ‌ها «x-svc-request-id» دارند.',
    en: 'The key goes in Authorization: Bearer or x-api-key. Amounts are toman, exact decimal text. Answers carry x-svc-request-id.',
  },
  public: { fa: 'نشانی‌های عمومی', en: 'Public endpoints' },
  operator: { fa: 'نشانی‌های بهره‌بردار', en: 'Operator endpoints' },
  errors: { fa: 'خطاها', en: 'Errors' },
  body: { fa: 'بدنهٔ درخواست', en: 'Request body' },
  query: { fa: 'پارامترهای نشانی', en: 'Query' },
  answer: { fa: 'پاسخ', en: 'Answer' },
  tryIt: { fa: 'امتحان کنید', en: 'Try it' },
  status: { fa: 'وضعیت', en: 'Status' },
  code: { fa: 'کد', en: 'Code' },
  meaning: { fa: 'معنا', en: 'Meaning' },
  retry: { fa: 'تلاش دوباره', en: 'Retry' },
  yes: { fa: 'آری', en: 'yes' },
  no: { fa: 'نه', en: 'no' },
} satisfies Record<string, Text>;

export function referencePage(request: PageRequest, endpoints: readonly RouteDescription[]): Markup {
  const { language } = request;
  const say = (words: Text) => words[language];
  const isOperators = ({ path }: RouteDescription) => path.startsWith('/api/admin');
  const section = (title: Text, list: RouteDescription[]) =>
    html`<h2>${say(title)}</h2>${[...new Set(list.map(({ tag }) => tag))].map(
      (tag) =>
        html`<h3 class="soft" dir="ltr">${tag}</h3>${list.filter((one) => one.tag === tag).map((one) => entry(one, request))}`,
    )}`;
  return layout(
    request,
    '/docs',
    say(WORDS.title),
    html`<h1>${say(WORDS.title)}</h1><p class="lead">${say(WORDS.lead)} <a href="/api/openapi.json">OpenAPI</a> · <a href="#errors">${say(WORDS.errors)}</a></p>
${section(
  WORDS.public,
  endpoints.filter((one) => !isOperators(one)),
)}${section(WORDS.operator, endpoints.filter(isOperators))}
<h2 id="errors">${say(WORDS.errors)}</h2>${errorTable(language)}`,
  );
}

function entry(endpoint: RouteDescription, request: PageRequest): Markup {
  const { language } = request;
  const { method, path, summary, description, query, body, result } = endpoint;
  const part = (title: Text, schema: TSchema | undefined) =>
    schema === undefined ? undefined : html`<h3>${title[language]}</h3>${fieldTable(schema, language)}`;
  return html`<details id="${endpoint.operationId}"><summary><span class="method">${method}</span><code>${path.replace(/:(\w+)/g, '{$1}')}</code><span>${summary[language]}</span></summary><div class="inside">${description === undefined ? undefined : html`<p class="soft" dir="ltr">${description}</p>`}<h3>${WORDS.tryIt[language]}</h3><pre><code>${curl(endpoint, request.origin)}</code></pre>${part(WORDS.query, query)}${part(WORDS.body, body)}${part(WORDS.answer, result)}</div></details>`;
}

function curl({ method, path, body, bodyType, example }: RouteDescription, origin: string): string {
  const secret = path.startsWith('/api/admin') ? '$DARGAH_OPERATOR_TOKEN' : '$DARGAH_KEY';
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${origin}${path.replace(/:(\w+)/g, '{$1}')}`];
  lines.push(`-H "Authorization: Bearer ${secret}"`);
  if (bodyType === 'multipart/form-data') lines.push('-F file=@speech.wav -F model=sandbox/transcribe');
  else if (body !== undefined)
    lines.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(example ?? {})}'`);
  return lines.join(' \\\n  ');
}

function errorTable(language: Language): Markup {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  return html`<div class="scroll"><table><thead><tr><th>${WORDS.code[language]}</th><th>${WORDS.status[language]}</th><th>${WORDS.meaning[language]}</th><th>${WORDS.retry[language]}</th></tr></thead><tbody>${codes.map(
    (code) => {
      const { status, text, shouldRetry } = ERRORS[code];
      return html`<tr><td><code>${code}</code></td><td>${status}</td><td>${text[language]}</td><td>${WORDS[shouldRetry ? 'yes' : 'no'][language]}</td></tr>`;
    },
  )}</tbody></table></div>`;
}
