/** `/`: what this is, and how an SDK is pointed here. */
import type { Text } from '../../core/errors.ts';
import { layout, type PageRequest, withLanguage } from './layout.ts';
import { html, type Markup } from './markup.ts';

const WORDS = {
  title: { fa: 'یک درگاه برای همهٔ مدل‌ها', en: 'One gateway to every model' },
  lead: {
    fa: 'کد شما همان می‌ماند؛ فقط نشانی پایه و کلید را عوض کنید. هزینه به تومان، دقیق تا میلیونیم.',
    en: 'Your code stays as it is; change the base address and the key. Charged in toman, exact to the millionth.',
  },
  catalog: { fa: 'فهرست مدل‌ها', en: 'Model catalog' },
  catalogText: { fa: 'قیمت به تومان، توانایی‌ها و دسته‌ها.', en: 'Toman prices, capabilities and categories.' },
  docs: { fa: 'راهنمای API', en: 'API reference' },
  docsText: { fa: 'همهٔ نشانی‌ها، بدنه‌ها و خطاها.', en: 'Every address, body and error.' },
  machine: { fa: 'سند OpenAPI', en: 'OpenAPI document' },
  machineText: { fa: 'برای ابزارها و ساختن کلاینت.', en: 'For tools and generated clients.' },
  point: { fa: 'SDK را به اینجا وصل کنید', en: 'Point your SDK here' },
} satisfies Record<string, Text>;

export function landingPage(request: PageRequest): Markup {
  const { language, origin } = request;
  const say = (words: Text) => words[language];
  const samples: [name: string, code: string][] = [
    [
      'OpenAI · Python',
      `from openai import OpenAI\nclient = OpenAI(base_url="${origin}/api/v1", api_key="dg-…")\nclient.chat.completions.create(model="sandbox/echo",\n    messages=[{"role": "user", "content": "سلام"}])`,
    ],
    [
      'OpenAI · Node.js',
      `import OpenAI from 'openai';\nconst client = new OpenAI({ baseURL: '${origin}/api/v1', apiKey: 'dg-…' });`,
    ],
    [
      'Anthropic · Node.js',
      `import Anthropic from '@anthropic-ai/sdk';\nconst client = new Anthropic({ baseURL: '${origin}/api', apiKey: 'dg-…' });`,
    ],
    [
      'curl',
      `curl ${origin}/api/v1/chat/completions \\\n  -H "Authorization: Bearer dg-…" -H "Content-Type: application/json" \\\n  -d '{"model":"sandbox/echo","messages":[{"role":"user","content":"سلام"}]}'`,
    ],
  ];
  const card = (href: string, name: Text, text: Text) =>
    html`<a class="card" href="${href}"><h3>${say(name)}</h3><p>${say(text)}</p></a>`;
  return layout(
    request,
    '/',
    say(WORDS.title),
    html`<h1>${say(WORDS.title)}</h1><p class="lead">${say(WORDS.lead)}</p>
<div class="cards">${card(withLanguage('/catalog', language), WORDS.catalog, WORDS.catalogText)}${card(withLanguage('/docs', language), WORDS.docs, WORDS.docsText)}${card('/api/openapi.json', WORDS.machine, WORDS.machineText)}</div>
<h2>${say(WORDS.point)}</h2>
<div class="cards wide">${samples.map(([name, code]) => html`<div class="card"><h3 dir="ltr">${name}</h3><pre><code>${code}</code></pre></div>`)}</div>`,
  );
}
