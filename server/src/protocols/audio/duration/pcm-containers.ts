/** WAV and FLAC: the header states the sample rate, the size does the rest. */
import type { AudioBytes } from './container.ts';

const FORMAT_PCM = 1;
const FORMAT_FLOAT = 3;

export function wavSeconds(head: AudioBytes, size: number): number | undefined {
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= head.length; ) {
    const name = head.text(at, 4);
    const length = head.u32le(at + 4);
    if (name === 'fmt ') {
      const format = head.u16le(at + 8);
      const exact = format === FORMAT_PCM || format === FORMAT_FLOAT;
      // For plain samples the rate follows from their size; decoders do not look at the stated one, and neither do we.
      bytesPerSecond = exact ? head.u32le(at + 12) * head.u16le(at + 20) : head.u32le(at + 16);
    } else if (name === 'data') {
      const rest = size - at - 8;
      // Recorders that stream write 0 or 2³²−1 for a length they do not know yet.
      const samples = length === 0 || length > rest ? rest : length;
      return bytesPerSecond > 0 ? samples / bytesPerSecond : undefined;
    }
    at += 8 + length + (length % 2);
  }
  return undefined;
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
