/** Complete requests that use every field of their protocol: mutations of them reach every reader of a field. */

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string', enum: ['Yazd', 'Tabriz'] } },
  required: ['city'],
};
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const CHAT = {
  messages: [
    { role: 'system', content: 'Be brief.', name: 'house' },
    { role: 'developer', content: [{ type: 'text', text: 'Answer in JSON.' }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}`, detail: 'low' } },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      refusal: null,
      reasoning_content: 'Hm.',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Yazd"}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '{"degrees":30}' },
    { role: 'user', content: 'And?' },
  ],
  max_tokens: 50,
  temperature: 0.5,
  top_p: 0.9,
  n: 1,
  stop: ['END', 'STOP'],
  stream: true,
  stream_options: { include_usage: true },
  tools: [{ type: 'function', function: { name: 'weather', description: 'd', parameters: SCHEMA, strict: true } }],
  tool_choice: { type: 'function', function: { name: 'weather' } },
  parallel_tool_calls: true,
  response_format: { type: 'json_schema', json_schema: { name: 'place', strict: true, schema: SCHEMA } },
  seed: 7,
  user: 'customer-1',
  presence_penalty: 0.1,
  frequency_penalty: 0.1,
  logit_bias: { '50256': -100 },
  logprobs: true,
  top_logprobs: 2,
  reasoning_effort: 'low',
  metadata: { a: 'b' },
  svc: { knowledge_base_ids: [], routing: { models: [], order: ['chat-a'] } },
};

/** The same without the parts that a provider of this model has no words for. */
export function chatFor(model: string): object {
  const missing = model === 'mock/claude' ? 'input_audio' : model === 'mock/gemini' ? 'https://' : undefined;
  if (missing === undefined) return { model, ...CHAT };
  const messages = CHAT.messages.map(({ content, ...rest }) => ({
    ...rest,
    content: Array.isArray(content)
      ? content.filter((part) => !JSON.stringify(part).includes(missing))
      : (content ?? null),
  }));
  return { model, ...CHAT, messages };
}

export const MESSAGES = {
  max_tokens: 50,
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' }, title: 't' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
        { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Yazd' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: '30' }], is_error: false },
        { type: 'text', text: 'And?' },
      ],
    },
  ],
  stop_sequences: ['END'],
  stream: false,
  temperature: 0.5,
  top_p: 0.9,
  top_k: 5,
  metadata: { user_id: 'customer-1' },
  tools: [{ name: 'weather', description: 'd', input_schema: SCHEMA }],
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
};

export const EMBEDDINGS = {
  model: 'mock/embed',
  input: ['one', 'two'],
  encoding_format: 'base64',
  dimensions: 8,
  user: 'customer-1',
};
