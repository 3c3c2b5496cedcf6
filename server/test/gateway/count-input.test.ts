/** What a hold needs for pictures, documents, sound and a great many texts. */
import { describe, expect, it } from 'vitest';
import type { ChatRequest, Part } from '../../src/core/chat.ts';
import { countInput } from '../../src/gateway/admit/count-input.ts';
import { openaiChatClient, openaiResponsesClient } from '../../src/protocols/index.ts';
import { ANY_PICTURE, pictureTokens } from '../../src/vendors/index.ts';

const asking = openaiChatClient.decodeRequest({ messages: [{ role: 'user', content: '' }] });
const withParts = (parts: Part[]): ChatRequest => ({ ...asking, messages: [{ role: 'user', parts }] });
const EMPTY = countInput(withParts([])).most;
const most = (...parts: Part[]) => countInput(withParts(parts)).most - EMPTY;
const base64 = (data: string | Buffer) => Buffer.from(data as string).toString('base64');

function png(width: number, height: number): string {
  const bytes = Buffer.alloc(64);
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return base64(bytes);
}

describe('pictures', () => {
  const inside = (width: number, height: number): Part => ({
    kind: 'image',
    source: { kind: 'data', mediaType: 'image/png', data: png(width, height) },
  });
  const away: Part = { kind: 'image', source: { kind: 'url', url: 'https://example.com/a.png' }, detail: 'low' };

  it('of a known size are held for by it, of an unknown size as the largest', () => {
    expect(most(inside(64, 64))).toBe(1_120);
    expect(most(inside(1_600, 1_200))).toBe(Math.ceil((1_600 * 1_200) / ANY_PICTURE.pixelsPerToken));
    expect(most(inside(8_000, 8_000))).toBe(ANY_PICTURE.most);
    expect(most(away)).toBe(ANY_PICTURE.most);
  });

  /** What the makers say, or was seen, of the largest picture. */
  it.each([
    ['openai/gpt-4o', 1_445],
    ['openai/gpt-4o-mini', 48_169],
    ['openai/gpt-5-nano', 3_779],
    ['openai/o4-mini', 2_642],
    ['openai/gpt-5.5', 12_000],
    ['openai/gpt-6-astra', 14_364],
    ['anthropic/claude-sonnet-4-5', 1_600],
    ['anthropic/claude-opus-4.7', 4_784],
    ['anthropic/claude-sonnet-5-5', 4_784],
    ['google/gemini-2.5-flash', 4_128],
    ['google/gemini-3-flash-preview', 1_120],
    ['mistral/pixtral-large', 4_160],
  ])('of unknown size are held for by the model: %s', (model, tokens) => {
    const held = pictureTokens(model).most;
    expect(held).toBeGreaterThanOrEqual(tokens);
    expect(held).toBeLessThan(tokens * 1.5);
  });

  it('by address in an item that is not understood are held for too', () => {
    const output = { type: 'computer_screenshot', image_url: 'https://example.com/screen.png' };
    const item = { type: 'computer_call_output', call_id: 'c', output };
    const request = openaiResponsesClient.decodeRequest({ input: [item, { role: 'user', content: 'go on' }] });
    expect(countInput(request).most).toBeGreaterThan(ANY_PICTURE.most);
  });
});

it('what is held only for want of a size is told apart', () => {
  const away: Part = { kind: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } };
  const { likely, most: held, unsure } = countInput(withParts([away, { kind: 'text', text: 'what is this' }]));
  expect(held - unsure).toBe(likely);
  expect(unsure).toBe(ANY_PICTURE.most - 1_100);
});

describe('documents', () => {
  const file = (mediaType: string, data: string): Part => ({ kind: 'file', source: { kind: 'data', mediaType, data } });
  const prose = 'the quick brown fox '.repeat(3_000);
  const PAGES = 20_000;

  it('that are plain text are counted as what they say', () => {
    const tokens = most({ kind: 'text', text: prose });
    expect(most(file('text/plain', base64(prose)))).toBe(tokens);
    expect(most(file('application/octet-stream', base64(prose)))).toBe(tokens);
    // A word of another format at the beginning changes nothing.
    expect(most(file('text/plain', base64(`%PDF-${prose}`)))).toBeGreaterThanOrEqual(tokens);
  });

  it('whose pages nobody sees are held for as ten pages at least', () => {
    expect(most(file('application/pdf', base64('%PDF-1.7 a few bytes')))).toBe(PAGES);
    expect(most(file('application/pdf', 'A'.repeat(3_000_000)))).toBe(100_000);
    expect(most({ kind: 'file', source: { kind: 'url', url: 'https://example.com/a.pdf' } })).toBe(PAGES);
    expect(most({ kind: 'file', source: { kind: 'file-id', id: 'file-1' } })).toBe(PAGES);
  });
});

it('sound is held for by its seconds, however small it was packed', () => {
  // A frame of 8 kbit/s: a kilobyte is a second.
  const bytes = Buffer.alloc(60_000);
  bytes.set([0xff, 0xf3, 0x14, 0xc4]);
  const part: Part = { kind: 'audio', format: 'mp3', data: base64(bytes) };
  expect(most(part)).toBe(60 * 32);
  expect(most({ kind: 'audio', format: '', data: '', id: 'audio_1' })).toBe(4_200);
});

describe('a great many texts', () => {
  const text = `${'word '.repeat(12_000)}.`;
  const texts = (count: number) => withParts(Array.from({ length: count }, () => ({ kind: 'text', text }) as const));

  it('are read up to a bound, and beyond it never counted for less than they are', () => {
    const one = countInput(texts(1)).most - EMPTY;
    expect(countInput(texts(60)).most - EMPTY).toBe(60 * one);
    const beyond = countInput(texts(101)).most - countInput(texts(100)).most;
    expect(beyond).toBe(text.length);
    expect(beyond).toBeGreaterThan(one);
  });

  it('share the bound with fields that are not understood', () => {
    const extras = { 'openai-chat': { documents: Array.from({ length: 1_000 }, () => 'word') } };
    const alone = countInput({ ...texts(0), extras }).most;
    const after = countInput({ ...texts(100), extras }).most - countInput(texts(100)).most;
    expect(after).toBe((alone - EMPTY) * 4);
  });
});
