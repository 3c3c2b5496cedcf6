/**
 * The yardstick: Fastify and undici and nothing else. Whole answers are parsed as JSON in both directions, which is the least
 * a gateway of models must do; streams are piped as bytes.
 */
import Fastify from 'fastify';
import { Pool } from 'undici';

const pool = new Pool(process.env.UPSTREAM, { connections: 8192, headersTimeout: 0, bodyTimeout: 0 });
const app = Fastify({ bodyLimit: 32 << 20, keepAliveTimeout: 120_000 });

function forward(path) {
  return async (request, reply) => {
    const { body } = request;
    const headers = { 'content-type': 'application/json', authorization: 'Bearer provider-secret' };
    const answer = await pool.request({ path, method: 'POST', headers, body: JSON.stringify(body) });
    if (!body.stream) return answer.body.json();
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
    for await (const chunk of answer.body) {
      if (!reply.raw.write(chunk)) await new Promise((resolve) => reply.raw.once('drain', resolve));
    }
    reply.raw.end();
  };
}

app.post('/api/v1/chat/completions', forward('/v1/chat/completions'));
app.post('/api/v1/messages', forward('/v1/chat/completions'));
app.post('/api/v1/embeddings', forward('/v1/embeddings'));
const address = await app.listen({ port: 0, host: '127.0.0.1' });
console.log(`listening ${new URL(address).port}`);
