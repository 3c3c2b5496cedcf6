/** Reads audio headers: a view over bytes that returns zero, not an exception, outside of them. */
export type Container = 'wav' | 'flac' | 'ogg' | 'mp3' | 'mp4' | 'webm';

export interface AudioBytes {
  length: number;
  u8(at: number): number;
  u16le(at: number): number;
  u32le(at: number): number;
  u32be(at: number): number;
  /** Reads bytes as ASCII. */
  text(at: number, length: number): string;
  find(ascii: string, from?: number): number;
  findLast(ascii: string): number;
}

export function bytesAt(bytes: Uint8Array): AudioBytes {
  const u8 = (at: number) => bytes[at] ?? 0;
  const matches = (ascii: string, at: number) => {
    for (let i = 0; i < ascii.length; i++) if (bytes[at + i] !== ascii.charCodeAt(i)) return false;
    return true;
  };
  return {
    length: bytes.length,
    u8,
    u16le: (at) => u8(at) | (u8(at + 1) << 8),
    u32le: (at) => (u8(at) | (u8(at + 1) << 8) | (u8(at + 2) << 16) | (u8(at + 3) << 24)) >>> 0,
    u32be: (at) => ((u8(at) << 24) | (u8(at + 1) << 16) | (u8(at + 2) << 8) | u8(at + 3)) >>> 0,
    text: (at, length) => String.fromCharCode(...bytes.subarray(at, at + length)),
    find(ascii, from = 0) {
      for (let at = from; at + ascii.length <= bytes.length; at++) if (matches(ascii, at)) return at;
      return -1;
    },
    findLast(ascii) {
      for (let at = bytes.length - ascii.length; at >= 0; at--) if (matches(ascii, at)) return at;
      return -1;
    },
  };
}

export function containerOf(head: AudioBytes): Container | undefined {
  if (head.text(0, 4) === 'RIFF' && head.text(8, 4) === 'WAVE') return 'wav';
  if (head.text(0, 4) === 'fLaC') return 'flac';
  if (head.text(0, 4) === 'OggS') return 'ogg';
  if (head.text(4, 4) === 'ftyp') return 'mp4';
  if (head.u32be(0) === 0x1a45dfa3) return 'webm';
  // MP3 begins with an ID3 tag, or with a frame of layer III: twelve sync bits and the two bits of the layer.
  if (head.text(0, 3) === 'ID3' || (head.u8(0) === 0xff && (head.u8(1) & 0xe6) === 0xe2)) return 'mp3';
  return undefined;
}
