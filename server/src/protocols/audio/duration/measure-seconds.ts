/**
 * How long a recording is, from its first and last bytes alone. It feeds the hold, and the charge where a provider says
 * nothing about length. A header can be forged to look short, so where the format has a highest bit rate the size of the file
 * sets a floor.
 */
import { bytesAt, containerOf } from './container.ts';
import { mp3FrameSeconds, mp3Seconds } from './mp3.ts';
import { mp4Seconds } from './mp4.ts';
import { oggSeconds } from './ogg.ts';
import { flacSeconds, wavSeconds } from './pcm-containers.ts';
import { webmSeconds } from './webm.ts';

export interface AudioEnds {
  head: Uint8Array;
  tail: Uint8Array;
  size: number;
}

/** Both ends of a file are enough to read its stated length. */
const END_BYTES = 48 * 1024;

export function endsOf(file: Uint8Array): AudioEnds {
  return { head: file.subarray(0, END_BYTES), tail: file.subarray(-END_BYTES), size: file.length };
}

/** 64 kbit/s, between telephone speech and music: the rate assumed where no header says. */
const USUAL_BYTES_PER_SECOND = 8_000;

/**
 * 512 kbit/s, more than any audio is compressed to where only the header states the length (MP4, WebM, compressed WAV).
 */
const MAX_BYTES_PER_SECOND = 64_000;

/** Whole seconds, at least one: a price is per whole unit. */
export function measureSeconds({ head, tail, size }: AudioEnds): number {
  const first = bytesAt(head);
  const read = secondsIn(first, tail, size);
  const seconds = read !== undefined && Number.isFinite(read) && read > 0 ? read : size / USUAL_BYTES_PER_SECOND;
  return Math.max(1, Math.ceil(seconds));
}

function secondsIn(head: ReturnType<typeof bytesAt>, tail: Uint8Array, size: number): number | undefined {
  switch (containerOf(head)) {
    case 'wav':
      return wavSeconds(head, size, MAX_BYTES_PER_SECOND);
    case 'flac':
      return flacSeconds(head, size);
    case 'ogg':
      return oggSeconds(head, bytesAt(tail), size);
    case 'mp3':
      return mp3Seconds(head, size);
    case 'mp4':
      return noShorterThan(size, mp4Seconds(head) ?? mp4Seconds(bytesAt(tail)));
    case 'webm':
      return noShorterThan(size, webmSeconds(head));
    case undefined:
      return undefined;
  }
}

/** A header can be forged to look short; the size cannot. */
function noShorterThan(size: number, seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.max(seconds, size / MAX_BYTES_PER_SECOND);
}

/** 8 kbit/s: speech compressed further can hardly be understood. */
const MIN_BYTES_PER_SECOND = 1_000;

/**
 * How long a recording can be at most, for a hold. Samples that are not packed and frames that state their own length are
 * counted; of all others the header may claim anything, and only the size sets a bound.
 */
export function maxSeconds(file: Uint8Array): number {
  const bytes = bytesAt(file);
  const measured = measureSeconds(endsOf(file));
  const container = containerOf(bytes);
  if (container === 'mp3') return Math.max(measured, Math.ceil(mp3FrameSeconds(bytes)));
  const plain = container === 'wav' ? wavSeconds(bytes, file.length, MIN_BYTES_PER_SECOND) : undefined;
  if (plain !== undefined) return Math.max(measured, Math.ceil(plain));
  return Math.max(measured, Math.ceil(file.length / MIN_BYTES_PER_SECOND));
}
