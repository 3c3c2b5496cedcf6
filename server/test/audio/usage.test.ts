/** Which units are charged, for every way a provider may report and every way a model may be priced. */
import { describe, expect, it } from 'vitest';
import type { Price } from '../../src/core/price.ts';
import { costOf } from '../../src/core/price.ts';
import { estimateSpeech, estimateTranscription, speechUsage, transcriptionUsage } from '../../src/protocols/index.ts';

const price = (perUnit: Price['perUnit']): Price => ({ version: 'v', perUnit, perRequest: 0n });
const bySecond = price({ seconds: 100n });
const byToken = price({ inputFresh: 3n, output: 7n, audioInput: 5n });
const byBoth = price({ seconds: 100n, inputFresh: 3n, output: 7n });
const byCharacter = price({ characters: 2n });

const tokens = {
  type: 'tokens',
  input_tokens: 50,
  output_tokens: 8,
  total_tokens: 58,
  input_token_details: { text_tokens: 10, audio_tokens: 40 },
};

describe('a transcription', () => {
  const heard = (reported: object | undefined, duration?: number) => ({
    reported: reported as never,
    duration,
    measuredSeconds: 9,
  });

  it('sold by the second takes the reported seconds, begun ones whole', () => {
    const usage = transcriptionUsage(bySecond, heard({ type: 'duration', seconds: 4.2 }));
    expect(usage).toMatchObject({ buckets: { seconds: 5 }, source: 'upstream' });
  });
  it('sold by the second takes the duration of a verbose answer', () => {
    expect(transcriptionUsage(bySecond, heard(undefined, 3.01))).toMatchObject({ buckets: { seconds: 4 } });
  });
  it('sold by the second is measured by us when the provider reports tokens', () => {
    const usage = transcriptionUsage(bySecond, heard(tokens));
    expect(usage.buckets.seconds).toBe(9);
    expect(usage.source).toBe('estimated');
    expect(usage.raw).toEqual(tokens);
    expect(costOf(bySecond, usage)).toBe(900n);
  });
  it('sold by the token takes the reported tokens, audio apart', () => {
    const usage = transcriptionUsage(byToken, heard(tokens));
    expect(usage).toMatchObject({ buckets: { inputFresh: 10, audioInput: 40, output: 8 }, source: 'upstream' });
    expect(costOf(byToken, usage)).toBe(30n + 200n + 56n);
  });
  it('sold by the token is estimated when the provider reports a duration', () => {
    const usage = transcriptionUsage(byToken, heard({ type: 'duration', seconds: 10 }));
    expect(usage.source).toBe('estimated');
    expect(usage.buckets).toEqual(estimateTranscription(byToken, 10).buckets);
    expect(costOf(byToken, usage)).toBeGreaterThan(0n);
  });
  it('is never charged twice for the same sound', () => {
    expect(costOf(byBoth, transcriptionUsage(byBoth, heard({ ...tokens, seconds: 6 })))).toBe(600n);
    expect(costOf(byBoth, transcriptionUsage(byBoth, heard(undefined)))).toBe(900n);
  });
  it.each([{ seconds: -1 }, { seconds: 'x' }, { input_tokens: 1.5 }, { seconds: Number.NaN }, 'usage', null])(
    'survives the nonsense %j',
    (nonsense) => {
      const usage = transcriptionUsage(bySecond, heard(nonsense as never));
      expect(usage).toMatchObject({ buckets: { seconds: 9 }, source: 'estimated' });
    },
  );
});

describe('speech', () => {
  it('sold by the character is exact without any report', () => {
    expect(speechUsage(byCharacter, 'سلام', 4, undefined)).toEqual({ buckets: { characters: 4 }, source: 'upstream' });
  });
  it('sold by the token takes the report, else an estimate', () => {
    const told = speechUsage(byToken, 'hello', 5, { input_tokens: 2, output_tokens: 30, total_tokens: 32 });
    expect(told).toMatchObject({ buckets: { inputFresh: 2, audioOutput: 30 }, source: 'upstream' });
    expect(costOf(byToken, told)).toBe(6n + 210n);
    const guessed = speechUsage(byToken, 'hello', 5, undefined);
    expect(guessed).toEqual(estimateSpeech(byToken, 'hello', 5));
    expect(guessed.source).toBe('estimated');
  });
  it('sold by the character keeps reported tokens for the books without charging them', () => {
    const usage = speechUsage(byCharacter, 'hello', 5, { input_tokens: 2, output_tokens: 30 });
    expect(usage.buckets).toMatchObject({ characters: 5, audioOutput: 30 });
    expect(costOf(byCharacter, usage)).toBe(10n);
  });
});
