/** Ready lines to copy. A key is never in them: its place is marked, and the reader puts it in. */
export function baseAddress(): string {
  return location.origin;
}

export function curlSample(model: string, key = 'dg-…', text = 'سلام'): string {
  return `curl ${baseAddress()}/api/v1/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ model, messages: [{ role: 'user', content: text }] })}'`;
}

export interface Sample {
  id: string;
  name: string;
  code: string;
}

export function clientSamples(model: string, key = 'dg-…'): Sample[] {
  const base = baseAddress();
  return [
    { id: 'curl', name: 'curl', code: curlSample(model, key) },
    {
      id: 'python',
      name: 'Python',
      code: `from openai import OpenAI

client = OpenAI(base_url="${base}/api/v1", api_key="${key}")
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "سلام"}],
)
print(answer.choices[0].message.content)`,
    },
    {
      id: 'node',
      name: 'Node.js',
      code: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${base}/api/v1', apiKey: '${key}' });
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'سلام' }],
});
console.log(answer.choices[0].message.content);`,
    },
    {
      id: 'anthropic',
      name: 'Anthropic',
      code: `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${base}/api', apiKey: '${key}' });
const answer = await client.messages.create({
  model: '${model}',
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'سلام' }],
});
console.log(answer.content);`,
    },
    {
      id: 'gemini',
      name: 'Gemini',
      code: `import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({ apiKey: '${key}', httpOptions: { baseUrl: '${base}/api' } });
const answer = await client.models.generateContent({ model: '${model}', contents: 'سلام' });
console.log(answer.text);`,
    },
    {
      id: 'langchain',
      name: 'LangChain',
      code: `from langchain_openai import ChatOpenAI

model = ChatOpenAI(model="${model}", base_url="${base}/api/v1", api_key="${key}")
print(model.invoke("سلام").content)`,
    },
    {
      id: 'claude-code',
      name: 'Claude Code',
      code: `export ANTHROPIC_BASE_URL=${base}/api
export ANTHROPIC_AUTH_TOKEN=${key}
claude --model ${model}`,
    },
  ];
}
