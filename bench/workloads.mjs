/** What is asked. Small enough to read, real enough to mean something. */
const messages = [
  { role: 'system', content: 'You are a helpful assistant.' },
  { role: 'user', content: 'Say hello to me in one short sentence, please.' },
];
const words = 'The quick brown fox jumps over the lazy dog while the clock of the old town strikes nine. ';
const promptOf = (bytes) => words.repeat(Math.ceil(bytes / words.length));
const ask = (fields) => JSON.stringify({ model: 'bench/chat', ...fields });
const CHAT = '/api/v1/chat/completions';

/** `weight`: how many requests of it cost about as much as one small chat. */
export const WORKLOADS = [
  { name: 'chat small', path: CHAT, body: ask({ messages, max_tokens: 50 }), weight: 1 },
  {
    name: 'chat 32 KB prompt',
    path: CHAT,
    body: ask({ messages: [messages[0], { role: 'user', content: promptOf(32 * 1024) }], max_tokens: 50 }),
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

/**
 * A stream of so many chunks. The gateway knows the model when it was started with it (`models: [streamOf(50).model]`). Without a
 * spacing a busy machine lets several chunks come in one read; with one each comes alone, as from a real provider, or so many `together`.
 */
export function streamOf(chunks, spacingMs = 0, together = 1) {
  const model = `slow-${spacingMs}x${chunks}${together > 1 ? `by${together}` : ''}`;
  const fields = { model: `bench/${model}`, messages, max_tokens: 300, stream: true };
  const pace = together > 1 ? `${together} each ${spacingMs} ms` : `${spacingMs} ms apart`;
  return {
    model,
    name: `chat stream, ${chunks} chunks${spacingMs > 0 ? `, ${pace}` : ''}`,
    path: CHAT,
    body: JSON.stringify(fields),
    stream: true,
  };
}

/** The same from a provider whose protocol the client does not speak. */
export function translatedStreamOf(...terms) {
  const { model, name } = streamOf(...terms);
  const fields = { model: `bench/${model}`, messages: [messages[1]], system: messages[0].content, max_tokens: 300 };
  return {
    model,
    name: name.replace('chat', 'translated'),
    path: '/api/v1/messages',
    body: JSON.stringify({ ...fields, stream: true }),
    headers: { 'anthropic-version': '2023-06-01' },
    stream: true,
  };
}

export function promptOfSize(kilobytes) {
  const content = promptOf(kilobytes * 1024);
  const body = ask({ messages: [messages[0], { role: 'user', content }], max_tokens: 50 });
  return { name: `chat ${kilobytes} KB prompt`, path: CHAT, body };
}
