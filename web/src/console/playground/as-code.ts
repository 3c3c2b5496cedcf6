/** The conversation as code in six forms, with a placeholder instead of the key. */
import { baseAddress, type Sample } from '../samples.ts';

const KEY = 'dg-…';

export function asCode(body: Record<string, unknown>): Sample[] {
  const base = baseAddress();
  const json = written(body);
  const model = String(body['model']);
  const messages = (body['messages'] as { role: string; content: unknown }[]) ?? [];
  const system = messages.find(({ role }) => role === 'system')?.content;
  const rest = messages.filter(({ role }) => role !== 'system');
  const settings = ['temperature', 'top_p', 'max_tokens'].flatMap((name) =>
    body[name] === undefined ? [] : [`, ${name}=${body[name]}`],
  );
  return [
    {
      id: 'curl',
      name: 'curl',
      code: `curl ${base}/api/v1/chat/completions \\
  -H "Authorization: Bearer ${KEY}" \\
  -H "Content-Type: application/json" \\
  -d @- <<'BODY'
${json}
BODY`,
    },
    {
      id: 'python',
      name: 'Python',
      code: `import json
from openai import OpenAI

client = OpenAI(base_url="${base}/api/v1", api_key="${KEY}")
body = json.loads(r'''
${inPython(json)}
''')
extra = {"svc": body.pop("svc")} if "svc" in body else {}
answer = client.chat.completions.create(**body, extra_body=extra)
print(answer.choices[0].message.content)`,
    },
    {
      id: 'node',
      name: 'Node.js',
      code: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${base}/api/v1', apiKey: '${KEY}' });
const answer = await client.chat.completions.create(${json});
console.log(answer.choices[0].message.content);`,
    },
    {
      id: 'anthropic',
      name: 'Anthropic',
      code: `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${base}/api', apiKey: '${KEY}' });
const answer = await client.messages.create(${written({
        model,
        max_tokens: body['max_tokens'] ?? 1024,
        ...(system === undefined ? {} : { system }),
        messages: rest
          .filter(({ role }) => role === 'user' || role === 'assistant')
          .map(({ role, content }) => ({ role, content: contentForAnthropic(content) })),
      })});
console.log(answer.content);`,
    },
    {
      id: 'langchain',
      name: 'LangChain',
      code: `import json
from langchain_openai import ChatOpenAI

model = ChatOpenAI(model="${model}", base_url="${base}/api/v1", api_key="${KEY}"${settings.join('')})
messages = json.loads(r'''
${inPython(written(messages))}
''')
print(model.invoke(messages).content)`,
    },
    {
      id: 'claude-code',
      name: 'Claude Code',
      code: `export ANTHROPIC_BASE_URL=${base}/api
export ANTHROPIC_AUTH_TOKEN=${KEY}
claude --model ${model}`,
    },
  ];
}

/**
 * As JSON with a picture's bytes left out: nobody reads megabytes of them, and the placeholder shows where one's own
 * go.
 */
function written(value: unknown): string {
  const short = (_name: string, one: unknown) =>
    typeof one === 'string' && one.startsWith('data:') ? `${one.slice(0, one.indexOf(',') + 1)}…` : one;
  return JSON.stringify(value, short, 2);
}

/** Three apostrophes would end the text in Python. */
function inPython(json: string): string {
  return json.replaceAll("'''", '\\u0027\\u0027\\u0027');
}

/** Pictures have another form there; text is the same. */
function contentForAnthropic(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return (content as { type: string; image_url?: { url: string } }[]).map((part) => {
    const media = /^data:([^;]+);base64,/.exec(part.image_url?.url ?? '')?.[1];
    if (media === undefined) return part;
    return { type: 'image', source: { type: 'base64', media_type: media, data: '…' } };
  });
}
