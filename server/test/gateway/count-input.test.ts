/** What a hold needs for pictures, documents, sound and a great many texts. */
import { describe, expect, it } from 'vitest';
import type { ChatRequest, Part } from '../../src/core/chat.ts';
import { countTokens } from '../../src/core/token-estimate.ts';
import { countInput } from '../../src/gateway/admit/count-input.ts';
import { ANY_MEDIA, type MediaLimits } from '../../src/gateway/admit/count-media.ts';
import { COUNTED_AT_ONCE } from '../../src/gateway/admit/text-count.ts';
import { anthropicMessagesClient, openaiChatClient, openaiResponsesClient } from '../../src/protocols/index.ts';
import { ANY_PICTURE, pictureTokens } from '../../src/vendors/index.ts';
import { sharedStream } from './document-files.ts';

const asking = openaiChatClient.decodeRequest({ messages: [{ role: 'user', content: '' }] });
const withParts = (parts: Part[]): ChatRequest => ({ ...asking, messages: [{ role: 'user', parts }] });
const EMPTY = countInput(withParts([])).max;
const max = (...parts: Part[]) => countInput(withParts(parts)).max - EMPTY;
/** With what is read later, in turns. */
const finished = async (request: ChatRequest, limits: MediaLimits = ANY_MEDIA) => {
  const counted = countInput(request, () => limits);
  const randomBytes = (count: number) => new Uint8Array(count).map((_, at) => (at * 167 + 13) % 256);
  await counted.finish({ randomBytes, checkLeast: () => undefined, canPayMax: async () => false });
  return counted;
};
const mostRead = async (part: Part, limits?: MediaLimits) => (await finished(withParts([part]), limits)).max - EMPTY;
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
    expect(max(inside(64, 64))).toBe(1_120);
    expect(max(inside(1_600, 1_200))).toBe(Math.ceil((1_600 * 1_200) / ANY_PICTURE.pixelsPerToken));
    expect(max(inside(8_000, 8_000))).toBe(ANY_PICTURE.max);
    expect(max(away)).toBe(ANY_PICTURE.max);
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
    const held = pictureTokens(model).max;
    expect(held).toBeGreaterThanOrEqual(tokens);
    expect(held).toBeLessThan(tokens * 1.5);
  });

  it('by address in an item that is not understood are held for too', () => {
    const output = { type: 'computer_screenshot', image_url: 'https://example.com/screen.png' };
    const item = { type: 'computer_call_output', call_id: 'c', output };
    const request = openaiResponsesClient.decodeRequest({ input: [item, { role: 'user', content: 'go on' }] });
    expect(countInput(request).max).toBeGreaterThan(ANY_PICTURE.max);
  });
});

it('what is held only for want of a size is told apart', () => {
  const away: Part = { kind: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } };
  const { likely, max: held, unsure } = countInput(withParts([away, { kind: 'text', text: 'what is this' }]));
  expect(held - unsure).toBe(likely);
  expect(unsure).toBe(ANY_PICTURE.max - 1_100);
});

describe('documents', () => {
  const file = (mediaType: string, data: string): Part => ({ kind: 'file', source: { kind: 'data', mediaType, data } });
  const prose = 'the quick brown fox '.repeat(3_000);
  const LIMITS: MediaLimits = { ...ANY_MEDIA, inputLimit: 128_000 };

  it('that are plain text are counted as what they say', () => {
    const tokens = max({ kind: 'text', text: prose });
    expect(max(file('text/plain', base64(prose)))).toBe(tokens);
    expect(max(file('application/octet-stream', base64(prose)))).toBe(tokens);
    // A word of another format at the beginning changes nothing.
    expect(max(file('text/plain', base64(`%PDF-${prose}`)))).toBeGreaterThanOrEqual(tokens);
  });

  it('of which nothing is known are held for as all that the model reads', async () => {
    const unknown = [
      file('application/pdf', base64('%PDF-1.7 a few bytes')),
      file('application/pdf', 'A'.repeat(3_000_000)),
      file('video/mp4', 'A'.repeat(3_000)),
      { kind: 'file', source: { kind: 'url', url: 'https://example.com/a.pdf' } } as const,
      { kind: 'file', source: { kind: 'file-id', id: 'file-1' } } as const,
    ];
    for (const part of unknown) expect(await mostRead(part, LIMITS)).toBe(128_000);
    // And together for no more than that, beside what each most likely is.
    const { max: together } = await finished(withParts(unknown), LIMITS);
    expect(together).toBeLessThan(128_000 * 2);
    expect(together).toBeGreaterThanOrEqual(128_000);
  });

  it('are held for no more pages than the maker takes where the context is larger', async () => {
    const few: MediaLimits = { ...ANY_MEDIA, inputLimit: 10_000_000, pageLimit: 100 };
    const held = await mostRead(file('application/pdf', base64('%PDF-1.7')), few);
    expect(held).toBeGreaterThanOrEqual(100 * 3_000);
    expect(held).toBeLessThan(1_000_000);
  });

  it('are found among fields that are not understood', async () => {
    const document = {
      type: 'document',
      source: { type: 'base64', media_type: 'x/y', data: base64(sharedStream(70)) },
    };
    const message = { role: 'user', content: [{ type: 'weird', inner: document }] };
    const request = anthropicMessagesClient.decodeRequest({ max_tokens: 1, messages: [message] });
    expect((await finished(request, { ...LIMITS, inputLimit: 1_000_000 })).max).toBeGreaterThanOrEqual(140_000);
  });

  it('that only call themselves pictures are looked into', async () => {
    expect(await mostRead(file('image/png', base64(sharedStream(70))), { ...LIMITS, inputLimit: 1e6 })).toBe(140_000);
  });
});

it('sound is held for by its seconds, however small it was packed', () => {
  // A frame of 8 kbit/s: a kilobyte is a second.
  const bytes = Buffer.alloc(60_000);
  bytes.set([0xff, 0xf3, 0x14, 0xc4]);
  const part: Part = { kind: 'audio', format: 'mp3', data: base64(bytes) };
  expect(max(part)).toBe(60 * 32);
  expect(max({ kind: 'audio', format: '', data: '', id: 'audio_1' })).toBe(4_200);
});

describe('sound whose header claims less than its data', () => {
  const soundOf = (bytes: Buffer): Part => ({ kind: 'audio', format: 'wav', data: base64(bytes) });
  const wav = (rate: number, channels: number, dataBytes: number, stated: number): Buffer => {
    const bytes = Buffer.alloc(44 + dataBytes);
    bytes.write('RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0', 'latin1');
    bytes.writeUInt16LE(channels, 22);
    bytes.writeUInt32LE(rate, 24);
    bytes.writeUInt16LE(16, 34);
    bytes.write('data', 36);
    bytes.writeUInt32LE(stated, 40);
    return bytes;
  };

  it('a WAV that states fewer samples than follow, or an impossible rate', () => {
    expect(max(soundOf(wav(8_000, 1, 960_000, 16_000)))).toBe(60 * 32);
    expect(max(soundOf(wav(4_000_000_000, 2, 960_000, 960_000)))).toBeGreaterThanOrEqual(120 * 32);
  });

  it('an MP3 whose first frame is dense and whose header states ten frames', () => {
    const dense = Buffer.alloc(960);
    dense.set([0xff, 0xfb, 0xe4, 0xc4]);
    dense.write('Xing', 36);
    dense.writeUInt32BE(1, 40);
    dense.writeUInt32BE(10, 44);
    const thin = Buffer.alloc(26);
    // 8 kbit/s at 22,050 samples a second: 26 bytes are 576 samples.
    thin.set([0xff, 0xf3, 0x10, 0xc4]);
    const file = Buffer.concat([dense, ...Array.from({ length: 4_000 }, () => thin)]);
    expect(max(soundOf(file))).toBeGreaterThanOrEqual(Math.floor((4_000 * 576) / 22_050) * 32);
  });

  it('one of which only the header tells is held for by its size', () => {
    const ogg = Buffer.alloc(60_000);
    ogg.write('OggS');
    ogg.write('OpusHead', 28);
    expect(max(soundOf(ogg))).toBe(60 * 32);
  });
});

describe('a great many texts', () => {
  const text = `${'word '.repeat(12_000)}.`;
  const texts = (count: number, each: (at: number) => string = () => text) =>
    withParts(Array.from({ length: count }, (_, at) => ({ kind: 'text', text: each(at) }) as const));

  it('are counted for what they are, the later ones in turns', async () => {
    const one = countTokens(text);
    const unlike = (at: number) => `${at} ${text}`;
    const request = texts(101, unlike);
    expect(countInput(request).isWhole).toBe(false);
    const { max: held, likely } = await finished(request);
    expect(held - EMPTY).toBeGreaterThanOrEqual(101 * one.max);
    expect(held - EMPTY).toBeLessThan(101 * one.max * 1.01);
    expect(likely).toBeLessThan(101 * one.likely * 1.01);
  });

  it('are held for by no less than their bytes until they were read', () => {
    const rare = 'Ꭰ'.repeat(60_000);
    const counted = countInput(texts(20, (at) => `${at}${rare}`));
    expect(counted.max).toBeGreaterThanOrEqual(20 * 60_000 * 3 * 0.9);
  });

  it('of one word each are counted at once up to a bound', () => {
    const words = COUNTED_AT_ONCE / 8;
    expect(countInput(texts(words / 4, () => 'a')).isWhole).toBe(true);
    expect(countInput(texts(words * 2, () => 'a')).isWhole).toBe(false);
  });

  it('that were read before are known at once', async () => {
    const known = (at: number) => `known ${at} ${text}`;
    await finished(texts(10, known));
    expect(countInput(texts(10, known)).isWhole).toBe(true);
  });

  it('share the bound with fields that are not understood', async () => {
    const extras = { 'openai-chat': { documents: Array.from({ length: 1_000 }, (_, at) => `Ꭰ${at}`) } };
    const alone = (await finished({ ...texts(0), extras })).max;
    const after = (await finished({ ...texts(10), extras })).max - (await finished(texts(10))).max;
    expect(after).toBe(alone - EMPTY);
  });
});
