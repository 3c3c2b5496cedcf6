/**
 * The fake provider of the benchmark: answers at once, in the chat protocol, from bytes that were made beforehand. It must never
 * be what is measured, so it parses nothing. The model's name says what is wanted: `slow-<ms>` spaces the chunks of a stream,
 * `slow-<ms>x<n>` also says how many there are, and `slow-<ms>x<n>by<k>` that so many come together. The bare proxy sends the name as
 * its caller wrote it, with `bench/` before it.
 */
import http from 'node:http';

export const STREAM_CHUNKS = 200;

const usage = { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 };
const whole = Buffer.from(
  JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'bench',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello there, how are you today?', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage,
  }),
);
const vector = Array.from({ length: 256 }, (_, i) => Math.fround(Math.sin(i)));
const embedding = Buffer.from(
  JSON.stringify({
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: vector }],
    model: 'bench',
    usage: { prompt_tokens: 8, total_tokens: 8 },
  }),
);

const head = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'bench' };
const frame = (fields) => Buffer.from(`data: ${JSON.stringify({ ...head, ...fields })}\n\n`);
const delta = (content, finish = null) => ({ choices: [{ index: 0, delta: content, finish_reason: finish }] });
const opening = frame(delta({ role: 'assistant', content: '' }));
const chunks = Array.from({ length: STREAM_CHUNKS }, (_, i) => frame(delta({ content: `token${i} ` })));
const ending = Buffer.concat([
  frame(delta({}, 'stop')),
  frame({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 200, total_tokens: 220 } }),
  Buffer.from('data: [DONE]\n\n'),
]);

function answer(request, response, body) {
  if (request.url.endsWith('/embeddings')) return sendWhole(response, embedding);
  if (!body.includes('"stream":true')) return sendWhole(response, whole);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(opening);
  const asked = /"model":"(?:bench\/)?slow-(\d+)(?:x(\d+))?(?:by(\d+))?"/.exec(body.toString('latin1', 0, 4096));
  const spacingMs = Number(asked?.[1] ?? 0);
  const count = Number(asked?.[2] ?? STREAM_CHUNKS);
  const together = Number(asked?.[3] ?? 1);
  let sent = 0;
  // Each chunk is a write of its own: a provider sends tokens as they come.
  const next = () => {
    if (response.destroyed) return;
    if (sent === count) return void response.end(ending);
    for (let left = together; left > 0 && sent < count; left--) response.write(chunks[sent++]);
    if (spacingMs > 0) setTimeout(next, spacingMs);
    else setImmediate(next);
  };
  next();
}

function sendWhole(response, bytes) {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
  response.end(bytes);
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const server = http.createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => answer(request, response, parts.length === 1 ? parts[0] : Buffer.concat(parts)));
  });
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1', 8192, () => console.log(`listening ${server.address().port}`));
}
