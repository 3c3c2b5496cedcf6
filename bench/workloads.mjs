/** What is asked. Small enough to read, real enough to mean something. */
const messages = [
  { role: 'system', content: 'You are a helpful assistant.' },
  { role: 'user', content: 'Say hello to me in one short sentence, please.' },
];
const words = 'The quick brown fox jumps over the lazy dog while the clock of the old town strikes nine. ';
const longPrompt = words.repeat(Math.ceil((32 * 1024) / words.length));
const ask = (fields) => JSON.stringify({ model: 'bench/chat', ...fields });
const CHAT = '/api/v1/chat/completions';

/** `weight`: how many requests of it cost about as much as one small chat. */
export const WORKLOADS = [
  { name: 'chat small', path: CHAT, body: ask({ messages, max_tokens: 50 }), weight: 1 },
  {
    name: 'chat 32 KB prompt',
    path: CHAT,
    body: ask({ messages: [messages[0], { role: 'user', content: longPrompt }], max_tokens: 50 }),
    weight: 0.5,
  },
  {
    name: 'chat stream, 200 chunks',
    path: CHAT,
    body: ask({ messages, max_tokens: 300, stream: true, stream_options: { include_usage: true } }),
    weight: 0.06,
    stream: true,
    firstToken: 'token0 ',
  },
  {
    name: 'messages stream, translated',
    path: '/api/v1/messages',
    body: ask({ messages: [messages[1]], system: messages[0].content, max_tokens: 300, stream: true }),
    headers: { 'anthropic-version': '2023-06-01' },
    weight: 0.06,
    stream: true,
    firstToken: 'token0 ',
  },
  {
    name: 'embeddings',
    path: '/api/v1/embeddings',
    body: JSON.stringify({ model: 'bench/embed', input: messages[1].content }),
    weight: 0.7,
  },
];
