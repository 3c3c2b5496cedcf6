/** Reads the duration from a WebM segment's Info. Browsers record without one, and then the duration stays unknown. */
import type { AudioBytes } from './container.ts';

const DURATION = '\u0044\u0089';
const TIMECODE_SCALE = '\u002a\u00d7\u00b1';
const DEFAULT_NANOSECONDS = 1_000_000;

export function webmSeconds(head: AudioBytes): number | undefined {
  const at = head.find(DURATION);
  if (at < 0) return undefined;
  // The size is one byte with its highest bit set: a float of 4 or of 8 bytes.
  const length = head.u8(at + 2) & 0x7f;
  if (length !== 4 && length !== 8) return undefined;
  const view = new DataView(new ArrayBuffer(8));
  view.setUint32(0, head.u32be(at + 3));
  view.setUint32(4, head.u32be(at + 7));
  const ticks = length === 8 ? view.getFloat64(0) : view.getFloat32(0);
  return (ticks * nanosecondsPerTick(head)) / 1e9;
}

function nanosecondsPerTick(head: AudioBytes): number {
  const at = head.find(TIMECODE_SCALE);
  if (at < 0) return DEFAULT_NANOSECONDS;
  const length = head.u8(at + 3) & 0x7f;
  let value = 0;
  for (let i = 0; i < Math.min(length, 6); i++) value = value * 256 + head.u8(at + 4 + i);
  return value === 0 ? DEFAULT_NANOSECONDS : value;
}
