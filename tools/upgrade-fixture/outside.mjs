/** What is outside of the gateway: a provider that speaks OpenAI's chat protocol, and Stripe as far as payments need it. */
import { createServer } from 'node:http';

/** Text that keeps an answer open until the caller goes. */
export const NEVER_ENDS = 'never ends';

export async function openOutside() {
  const seen = [];
  const stripe = { sessions: new Map(), disputes: new Map() };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    seen.push({ path: request.url, authorization: request.headers.authorization, body });
    if (body.includes(NEVER_ENDS)) return;
    const answer = answerTo(request, body, stripe);
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { error: { message: 'no such thing' } }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    seen,
    stripe,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerTo({ url = '', method }, body, stripe) {
  if (url.endsWith('/chat/completions')) return chat(JSON.parse(body));
  if (url.endsWith('/embeddings')) return embeddings(JSON.parse(body));
  const id = url.split('?')[0].split('/').at(-1);
  if (url.startsWith('/v1/disputes/')) return stripe.disputes.get(id);
  if (url.startsWith('/v1/checkout/sessions') && method === 'POST')
    return beginSession(stripe, new URLSearchParams(body));
  if (url.startsWith('/v1/checkout/sessions/')) return stripe.sessions.get(id);
  return undefined;
}

function chat({ model }) {
  const message = { role: 'assistant', content: 'سلام! چه کمکی از من برمی‌آید؟' };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: 40, completion_tokens: 20, total_tokens: 60 },
  };
}

function embeddings({ input, model, encoding_format: format }) {
  const texts = Array.isArray(input) ? input : [input];
  const data = texts.map((text, index) => {
    const numbers = [text.length % 7, 1, 2, 3].map((n) => n / 4);
    const embedding = format === 'base64' ? Buffer.from(new Float32Array(numbers).buffer).toString('base64') : numbers;
    return { object: 'embedding', index, embedding };
  });
  return { object: 'list', model, data, usage: { prompt_tokens: 5 * texts.length, total_tokens: 5 * texts.length } };
}

function beginSession({ sessions }, form) {
  const id = `cs_test_${sessions.size + 1}`;
  const session = {
    id,
    object: 'checkout.session',
    url: `https://checkout.stripe.test/${id}`,
    amount_total: Number(form.get('line_items[0][price_data][unit_amount]')),
    currency: form.get('line_items[0][price_data][currency]'),
    client_reference_id: form.get('client_reference_id'),
    status: 'open',
    payment_status: 'unpaid',
    payment_intent: null,
  };
  sessions.set(id, session);
  return session;
}

export function paySession({ sessions }, id) {
  Object.assign(sessions.get(id), { status: 'complete', payment_status: 'paid', payment_intent: `pi_${id}` });
}
