/** Small recordings made here: a tone is enough, since nobody listens. */

/** Plain samples, 16 kHz mono 16 bit, of so many seconds. */
export function wav(seconds: number): Buffer<ArrayBuffer> {
  const dataBytes = Math.round(seconds * 16_000) * 2;
  const file = Buffer.alloc(44 + dataBytes, 0x11);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(36 + dataBytes, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(16_000, 24);
  file.writeUInt32LE(32_000, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(dataBytes, 40);
  return file;
}

/** Constant bit rate, MPEG 1 layer III, 128 kbit/s at 44.1 kHz. `frames` adds a header that counts them. */
export function mp3(bytes: number, options: { frames?: number; tagBytes?: number } = {}): Buffer {
  const { frames, tagBytes = 0 } = options;
  const tag = Buffer.alloc(tagBytes === 0 ? 0 : 10 + tagBytes);
  if (tagBytes > 0) {
    tag.write('ID3\x04\0\0', 0, 'latin1');
    for (let i = 0; i < 4; i++) tag.writeUInt8((tagBytes >> (7 * (3 - i))) & 0x7f, 6 + i);
  }
  const audio = Buffer.alloc(bytes);
  audio.writeUInt32BE(0xfffb9000, 0);
  if (frames !== undefined) {
    audio.write('Xing', 36, 'latin1');
    audio.writeUInt32BE(1, 40);
    audio.writeUInt32BE(frames, 44);
  }
  return Buffer.concat([tag, audio]);
}

export function flac(seconds: number, bytes: number): Buffer {
  const file = Buffer.alloc(bytes);
  file.write('fLaC', 0, 'latin1');
  file.writeUInt8(34, 7);
  const rate = 44_100;
  const channels = 2;
  const bits = 16;
  const samples = seconds * rate;
  file.writeUInt32BE(
    ((rate << 12) | ((channels - 1) << 9) | ((bits - 1) << 4) | Math.floor(samples / 2 ** 32)) >>> 0,
    18,
  );
  file.writeUInt32BE(samples % 2 ** 32, 22);
  return file;
}

export function oggOpus(seconds: number, bytes: number): Buffer {
  const file = Buffer.alloc(bytes);
  file.write('OggS', 0, 'latin1');
  file.write('OpusHead', 28, 'latin1');
  file.writeUInt16LE(312, 38);
  const last = bytes - 200;
  file.write('OggS', last, 'latin1');
  file.writeBigUInt64LE(BigInt(Math.round(seconds * 48_000) + 312), last + 6);
  return file;
}

/** The movie header at the end, as recorders write it. */
export function m4a(seconds: number, bytes: number): Buffer {
  const file = Buffer.alloc(bytes);
  file.write('ftypM4A ', 4, 'latin1');
  const at = bytes - 500;
  file.write('mvhd', at, 'latin1');
  file.writeUInt32BE(1000, at + 16);
  file.writeUInt32BE(seconds * 1000, at + 20);
  return file;
}

export function webm(seconds: number | undefined, bytes: number): Buffer {
  const file = Buffer.alloc(bytes);
  file.writeUInt32BE(0x1a45dfa3, 0);
  if (seconds === undefined) return file;
  file.set([0x2a, 0xd7, 0xb1, 0x83, 0x0f, 0x42, 0x40], 40);
  file.set([0x44, 0x89, 0x88], 60);
  file.writeDoubleBE(seconds * 1000, 63);
  return file;
}
