/** Embeddings, audio and the small endpoints of the OpenAI protocol. */
import type { Json } from '../../../src/core/json.ts';
import type { RecordedRequest, Wire } from '../wire.ts';

export function embeddingsWhole(request: RecordedRequest): object {
  const input = request.body['input'] ?? '';
  const texts = Array.isArray(input) && !input.every((item) => typeof item === 'number') ? input : [input];
  const dimensions = Number(request.body['dimensions'] ?? 8);
  const tokens = texts.reduce((sum: number, item) => sum + Math.max(1, Math.ceil(sizeOf(item) / 4)), 0);
  return {
    object: 'list',
    model: request.body['model'] ?? 'fake-embed',
    data: texts.map((item, index) => ({ object: 'embedding', index, embedding: vector(request, item, dimensions) })),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** Answers of endpoints that need no more than their path: rerank, moderations, images. */
export function wholeOfPath({ path, body }: RecordedRequest): object | undefined {
  if (path.endsWith('/rerank'))
    return { results: [{ index: 0, relevance_score: 0.5 }], usage: { total_tokens: 4 }, model: body['model'] };
  if (path.endsWith('/moderations'))
    return { results: [{ flagged: false, categories: { hate: false }, category_scores: { hate: 0 } }] };
  if (path.endsWith('/images/generations'))
    return { data: [{ b64_json: 'QUJD' }], usage: { input_tokens: 1, output_tokens: 1 } };
  return undefined;
}

function sizeOf(item: Json): number {
  return typeof item === 'string' ? item.length : JSON.stringify(item).length;
}

function vector(request: RecordedRequest, item: Json, dimensions: number): number[] | string {
  const numbers = Array.from({ length: dimensions }, (_, i) => ((sizeOf(item) + i) % 7) / 8);
  if (request.body['encoding_format'] !== 'base64') return numbers;
  return Buffer.from(new Float32Array(numbers).buffer).toString('base64');
}

export async function speech(wire: Wire): Promise<void> {
  wire.head(200, { 'content-type': 'audio/mpeg' });
  await wire.write(Buffer.from('ID3'));
  for (let i = 0; i < 3; i++) await wire.write(Buffer.alloc(256, i));
  wire.end();
}

export function transcription(wire: Wire): void {
  const form = wire.request.raw.toString('latin1');
  const format = /name="response_format"\r\n\r\n([a-z_]+)/.exec(form)?.[1] ?? 'json';
  const text = 'This is a fake transcript.';
  if (format === 'text' || format === 'srt' || format === 'vtt') {
    wire.head(200, { 'content-type': 'text/plain; charset=utf-8' });
    wire.end(format === 'text' ? `${text}\n` : `1\n00:00:00,000 --> 00:00:03,000\n${text}\n`);
    return;
  }
  wire.head(200, { 'content-type': 'application/json' });
  const whole = { text, usage: { type: 'duration', seconds: 3 } };
  const segments = [{ id: 0, start: 0, end: 3, text }];
  wire.end(
    JSON.stringify(format === 'verbose_json' ? { ...whole, language: 'english', duration: 3, segments } : whole),
  );
}
