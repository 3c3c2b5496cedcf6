/** What the official SDK makes of our bytes: the reader that decides whether a stream is right. */
import Anthropic from '@anthropic-ai/sdk';

function clientFor(body: string, contentType: string): Anthropic {
  const fetch = async () => new Response(body, { status: 200, headers: { 'content-type': contentType } });
  return new Anthropic({ apiKey: 'none', baseURL: 'http://gateway.invalid', maxRetries: 0, fetch });
}

const ASK = { model: 'm', max_tokens: 10, messages: [{ role: 'user' as const, content: 'q' }] };

export async function readStream(stream: string): Promise<Anthropic.Message> {
  return clientFor(stream, 'text/event-stream').messages.stream(ASK).finalMessage();
}

export async function readBody(body: object): Promise<Anthropic.Message> {
  return clientFor(JSON.stringify(body), 'application/json').messages.create(ASK);
}
