/** The conversation as code in six forms; the place of the key is marked, and no key is in it. */
import { baseAddress, type Sample } from '../samples.ts';

const KEY = 'dg-…';

export function asCode(body: Record<string, unknown>): Sample[] {
  const base = baseAddress();
  const json = JSON.stringify(body, null, 2);
  const model = String(body['model']);
  const messages = (body['messages'] as { role: string; content: unknown }[]) ?? [];
  const system = messages.find(({ role }) => role === 'system')?.content;
  const rest = messages.filter(({ role }) => role !== 'system');
  const last = [...rest].reverse().find(({ role }) => role === 'user')?.content ?? '';
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
${json}
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
const answer = await client.messages.create(${JSON.stringify(
        {
          model,
          max_tokens: body['max_tokens'] ?? 1024,
          ...(system === undefined ? {} : { system }),
          messages: rest
            .filter(({ role }) => role === 'user' || role === 'assistant')
            .map(({ role, content }) => ({ role, content })),
        },
        null,
        2,
      )});
console.log(answer.content);`,
    },
    {
      id: 'langchain',
      name: 'LangChain',
      code: `from langchain_openai import ChatOpenAI

model = ChatOpenAI(model="${model}", base_url="${base}/api/v1", api_key="${KEY}")
print(model.invoke(${JSON.stringify(typeof last === 'string' ? last : '')}).content)`,
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
