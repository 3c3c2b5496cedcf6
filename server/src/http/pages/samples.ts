/** The same first call in several languages. The key is a variable of the shell: a page never contains one. */

import { ENDPOINT_OF_KIND } from '@dargah/api/public/endpoint-of-kind.ts';
import type { Language, Text } from '@dargah/core/text.ts';
import type { Model } from '../../catalog/index.ts';
import { icon } from './icons.ts';
import { html, Markup } from './markup.ts';

export interface Sample {
  id: string;
  name: string;
  code: string;
}

const TEXTS = {
  copy: { fa: 'کپی نمونهٔ', en: 'Copy the sample for' },
  choose: { fa: 'نمونه برای', en: 'Sample for' },
} satisfies Record<string, Text>;

const HELLO: Record<Language, string> = { fa: 'سلام', en: 'Hello' };

export function samplesFor(model: Pick<Model, 'id' | 'kind'>, origin: string, language: Language): Sample[] {
  const { id } = model;
  const hello = HELLO[language];
  const key = '$DARGAH_KEY';
  const post = (path: string, body: string) =>
    `curl ${origin}${path} \\\n  -H "Authorization: Bearer ${key}" \\\n  -H "Content-Type: application/json" \\\n  -d '${body}'`;
  if (model.kind === 'embedding')
    return [
      { id: 'curl', name: 'curl', code: post('/api/v1/embeddings', `{"model": "${id}", "input": "${hello}"}`) },
      {
        id: 'python',
        name: 'Python',
        code: python(origin, `vectors = client.embeddings.create(model="${id}", input="${hello}")`),
      },
      {
        id: 'node',
        name: 'Node.js',
        code: node(origin, `const vectors = await client.embeddings.create({ model: '${id}', input: '${hello}' });`),
      },
    ];
  if (model.kind === 'speech')
    return [
      {
        id: 'curl',
        name: 'curl',
        code: `${post('/api/v1/audio/speech', `{"model": "${id}", "input": "${hello}", "voice": "alloy"}`)} \\\n  --output speech.mp3`,
      },
      {
        id: 'python',
        name: 'Python',
        code: python(
          origin,
          `speech = client.audio.speech.create(model="${id}", voice="alloy", input="${hello}")\nspeech.write_to_file("speech.mp3")`,
        ),
      },
    ];
  if (model.kind === 'transcription')
    return [
      {
        id: 'curl',
        name: 'curl',
        code: `curl ${origin}/api/v1/audio/transcriptions \\\n  -H "Authorization: Bearer ${key}" \\\n  -F file=@speech.mp3 -F model=${id}`,
      },
      {
        id: 'python',
        name: 'Python',
        code: python(
          origin,
          `with open("speech.mp3", "rb") as file:\n    text = client.audio.transcriptions.create(model="${id}", file=file)`,
        ),
      },
    ];
  if (model.kind === 'realtime') return realtimeSamples(id, hello, origin, post);
  const other = ENDPOINT_OF_KIND[model.kind];
  if (other?.example)
    return [
      { id: 'curl', name: 'curl', code: post(other.path, JSON.stringify({ ...other.example, model: id }, null, 2)) },
    ];
  return [...chatSamples(id, hello, origin, post), ...toolSamples(id, hello, origin)];
}

type Post = (path: string, body: string) => string;

/** A session on a server, and the secret that a page opens one with. */
function realtimeSamples(id: string, hello: string, origin: string, post: Post): Sample[] {
  const item = `{ type: 'message', role: 'user', content: [{ type: 'input_text', text: '${hello}' }] }`;
  const lines = [
    `const socket = new OpenAIRealtimeWS({ model: '${id}' }, client);`,
    "socket.on('session.created', () => {",
    `  socket.send({ type: 'conversation.item.create', item: ${item} });`,
    "  socket.send({ type: 'response.create' });",
    '});',
    "socket.on('response.output_audio_transcript.delta', ({ delta }) => process.stdout.write(delta));",
    "socket.on('response.done', () => socket.close());",
  ];
  const library = "import { OpenAIRealtimeWS } from 'openai/realtime/ws';";
  const secret = post('/api/v1/realtime/client_secrets', `{"session": {"type": "realtime", "model": "${id}"}}`);
  return [
    { id: 'node', name: 'Node.js', code: `${library}\n${node(origin, lines.join('\n'))}` },
    { id: 'curl', name: 'curl', code: secret },
  ];
}

function chatSamples(id: string, hello: string, origin: string, post: Post): Sample[] {
  return [
    {
      id: 'curl',
      name: 'curl',
      code: post(
        '/api/v1/chat/completions',
        `{"model": "${id}",\n       "messages": [{"role": "user", "content": "${hello}"}]}`,
      ),
    },
    {
      id: 'python',
      name: 'Python',
      code: python(
        origin,
        `answer = client.chat.completions.create(\n    model="${id}",\n    messages=[{"role": "user", "content": "${hello}"}],\n)\nprint(answer.choices[0].message.content)`,
      ),
    },
    {
      id: 'node',
      name: 'Node.js',
      code: node(
        origin,
        `const answer = await client.chat.completions.create({\n  model: '${id}',\n  messages: [{ role: 'user', content: '${hello}' }],\n});\nconsole.log(answer.choices[0].message.content);`,
      ),
    },
  ];
}

function toolSamples(id: string, hello: string, origin: string): Sample[] {
  return [
    {
      id: 'anthropic',
      name: 'Anthropic',
      code: `import os\nfrom anthropic import Anthropic\n\nclient = Anthropic(base_url="${origin}/api", api_key=os.environ["DARGAH_KEY"])\nanswer = client.messages.create(\n    model="${id}",\n    max_tokens=1024,\n    messages=[{"role": "user", "content": "${hello}"}],\n)\nprint(answer.content[0].text)`,
    },
    {
      id: 'langchain',
      name: 'LangChain',
      code: `import os\nfrom langchain_openai import ChatOpenAI\n\nmodel = ChatOpenAI(\n    base_url="${origin}/api/v1",\n    api_key=os.environ["DARGAH_KEY"],\n    model="${id}",\n)\nprint(model.invoke("${hello}").content)`,
    },
    {
      id: 'claude-code',
      name: 'Claude Code',
      code: `export ANTHROPIC_BASE_URL=${origin}/api\nexport ANTHROPIC_AUTH_TOKEN=$DARGAH_KEY\nexport ANTHROPIC_MODEL=${id}\nclaude`,
    },
  ];
}

function python(origin: string, call: string): string {
  return `import os\nfrom openai import OpenAI\n\nclient = OpenAI(base_url="${origin}/api/v1", api_key=os.environ["DARGAH_KEY"])\n${call}`;
}

function node(origin: string, call: string): string {
  return `import OpenAI from 'openai';\n\nconst client = new OpenAI({ baseURL: '${origin}/api/v1', apiKey: process.env.DARGAH_KEY });\n${call}`;
}

/** Samples stand below one another; the script makes tabs of them. */
export function sampleList(samples: readonly Sample[], language: Language, level: 3 | 5 = 3): Markup {
  const head = (name: string) => new Markup(`<h${level} dir="ltr">${html`${name}`.text}</h${level}>`);
  return html`<div class="samples" data-tabs="${TEXTS.choose[language]}">${samples.map(
    ({ id, name, code }) =>
      html`<section data-tab="${name}" aria-label="${name}">${head(name)}${codeBlock(code, `${TEXTS.copy[language]} ${name}`, `sample-${id}`)}</section>`,
  )}</div>`;
}

export function codeBlock(code: string, copyLabel: string, id?: string): Markup {
  return html`<div class="code-box"><pre class="code" tabindex="0" dir="ltr"${id === undefined ? undefined : html` id="${id}"`}><code>${code}</code></pre><button class="copy" type="button" data-copy-code aria-label="${copyLabel}">${icon('copy')}</button></div>`;
}
