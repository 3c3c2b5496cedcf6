/** WAV and FLAC: the header states the sample rate, the size does the rest. */
import type { AudioBytes } from './container.ts';

const FORMAT_PCM = 1;
const FORMAT_FLOAT = 3;
const FORMAT_ALAW = 6;
const FORMAT_MULAW = 7;
/** The real format stands at the end of the chunk. */
const FORMAT_EXTENSIBLE = 0xfffe;
const PLAIN_FORMATS: readonly number[] = [FORMAT_PCM, FORMAT_FLOAT, FORMAT_ALAW, FORMAT_MULAW];

const MAX_SAMPLE_RATE = 768_000;
const MAX_CHANNELS = 32;

/** Titles and cue points may follow the samples. What is longer than this may be more samples: decoders go on reading. */
const MAX_BYTES_BEHIND = 65_536;

/** `maxPacked` is the highest byte rate of compressed audio, since the stated rate can be forged. */
export function wavSeconds(head: AudioBytes, size: number, maxPacked: number): number | undefined {
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= head.length; ) {
    const name = head.text(at, 4);
    const length = head.u32le(at + 4);
    // A decoder may use either of two descriptions, so the one that makes the file longer counts.
    if (name === 'fmt ') bytesPerSecond = slower(bytesPerSecond, bytesPerSecondOf(head, at + 8, maxPacked));
    else if (name === 'data') {
      const rest = size - at - 8;
      // Recorders that stream write 0 or 2³²−1 for a length they do not know yet.
      const samples = length === 0 || length > rest || rest - length > MAX_BYTES_BEHIND ? rest : length;
      return bytesPerSecond > 0 ? samples / bytesPerSecond : undefined;
    }
    at += 8 + length + (length % 2);
  }
  return undefined;
}

function slower(one: number, other: number): number {
  return one > 0 && other > 0 ? Math.min(one, other) : Math.max(one, other);
}

/** For plain samples the rate follows from their size; decoders do not look at the stated one, and neither do we. */
function bytesPerSecondOf(head: AudioBytes, at: number, maxPacked: number): number {
  const stated = head.u16le(at);
  const format = stated === FORMAT_EXTENSIBLE ? head.u16le(at + 24) : stated;
  if (!PLAIN_FORMATS.includes(format)) return Math.min(head.u32le(at + 8), maxPacked);
  const bytesPerSample = Math.ceil(head.u16le(at + 14) / 8);
  const sampleRate = head.u32le(at + 4);
  const channels = head.u16le(at + 2);
  // No decoder plays such a file as its header says.
  if (sampleRate > MAX_SAMPLE_RATE || channels > MAX_CHANNELS || bytesPerSample > 8) return 0;
  return sampleRate * channels * bytesPerSample;
}

export function flacSeconds(head: AudioBytes, size: number): number | undefined {
  // STREAMINFO always comes first: 4 bytes mark, 4 bytes block header, 10 bytes of sizes, then the packed fields.
  const packed = head.u32be(18);
  const sampleRate = packed >>> 12;
  const channels = ((packed >>> 9) & 7) + 1;
  const bits = ((packed >>> 4) & 31) + 1;
  if (sampleRate === 0) return undefined;
  const samples = (packed & 15) * 2 ** 32 + head.u32be(22);
  const floor = (size * 8) / (sampleRate * channels * bits);
  return samples === 0 ? floor * 2 : Math.max(floor, samples / sampleRate);
}
