/** MP4 and M4A: the movie header box, which stands at the start or, when recorded live, at the end of the file. */
import type { AudioBytes } from './container.ts';

export function mp4Seconds(part: AudioBytes): number | undefined {
  const at = part.find('mvhd');
  if (at < 0) return undefined;
  const long = part.u8(at + 4) === 1;
  const timescale = part.u32be(at + (long ? 24 : 16));
  const duration = long ? part.u32be(at + 28) * 2 ** 32 + part.u32be(at + 32) : part.u32be(at + 20);
  return timescale === 0 ? undefined : duration / timescale;
}
