/** Reads the duration of Ogg with Opus or Vorbis: the last page carries the number of the last sample. */
import type { AudioBytes } from './container.ts';

const OPUS_RATE = 48_000;
/** Opus ends at 510 kbit/s; Vorbis hardly goes beyond. */
const MAX_BYTES_PER_SECOND = 64_000;
const GRANULE_AT = 6;

export function oggSeconds(head: AudioBytes, tail: AudioBytes, size: number): number | undefined {
  const page = tail.findLast('OggS');
  if (page < 0) return undefined;
  const samples = tail.u32le(page + GRANULE_AT) + tail.u32le(page + GRANULE_AT + 4) * 2 ** 32;
  const opus = head.find('OpusHead');
  const vorbis = head.find('vorbis');
  if (opus >= 0) return atLeast(samples - head.u16le(opus + 10), OPUS_RATE, size);
  if (vorbis >= 0) return atLeast(samples, head.u32le(vorbis + 11), size);
  return undefined;
}

function atLeast(samples: number, rate: number, size: number): number | undefined {
  return rate === 0 ? undefined : Math.max(samples / rate, size / MAX_BYTES_PER_SECOND);
}
