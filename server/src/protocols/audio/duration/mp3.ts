/** MP3: the first frame says the bit rate; files with a variable rate count their frames in a header of its own inside it. */
import type { AudioBytes } from './container.ts';

const BITRATES_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const BITRATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const SAMPLE_RATES = [44_100, 48_000, 32_000];
const MAX_BYTES_PER_SECOND = 40_000;
/** Used when a picture in the tag hides the first frame. */
const USUAL_BYTES_PER_SECOND = 16_000;

export function mp3Seconds(head: AudioBytes, size: number): number | undefined {
  const start = tagBytes(head);
  if (start >= head.length) return Math.max(0, size - start) / USUAL_BYTES_PER_SECOND;
  for (let at = start; at + 4 <= head.length; at++) {
    const frame = readFrame(head, at);
    if (!frame) continue;
    const audioBytes = size - at;
    const frames = countedFrames(head, at);
    if (frames === 0) return audioBytes / frame.bytesPerSecond;
    return Math.max((frames * frame.samples) / frame.sampleRate, audioBytes / MAX_BYTES_PER_SECOND);
  }
  return undefined;
}

/**
 * The sum of all frames. The first one may be of another rate than the rest, and the number of frames that a header states may
 * be anything.
 */
export function mp3FrameSeconds(file: AudioBytes): number {
  let seconds = 0;
  for (let at = tagBytes(file); at + 4 <= file.length; ) {
    const frame = readFrame(file, at);
    if (!frame) {
      at++;
      continue;
    }
    seconds += frame.samples / frame.sampleRate;
    at += Math.max(4, Math.floor((frame.samples * frame.bytesPerSecond) / frame.sampleRate));
  }
  return seconds;
}

/** The length of an ID3v2 tag is written in seven bits per byte. */
function tagBytes(head: AudioBytes): number {
  if (head.text(0, 3) !== 'ID3') return 0;
  return 10 + (head.u8(6) << 21) + (head.u8(7) << 14) + (head.u8(8) << 7) + head.u8(9);
}

function readFrame(head: AudioBytes, at: number) {
  const second = head.u8(at + 1);
  if (head.u8(at) !== 0xff || (second & 0xe6) !== 0xe2) return undefined;
  const version = (second >> 3) & 3;
  const third = head.u8(at + 2);
  const baseRate = SAMPLE_RATES[(third >> 2) & 3];
  const kilobits = (version === 3 ? BITRATES_1 : BITRATES_2)[third >> 4];
  // Version 1 is reserved, and so are the missing table entries: this was no frame, only bytes that look like one.
  if (version === 1 || baseRate === undefined || !kilobits) return undefined;
  const sampleRate = version === 3 ? baseRate : version === 2 ? baseRate / 2 : baseRate / 4;
  return { sampleRate, bytesPerSecond: kilobits * 125, samples: version === 3 ? 1152 : 576 };
}

function countedFrames(head: AudioBytes, at: number): number {
  for (const name of ['Xing', 'Info']) {
    const mark = head.find(name, at);
    // It stands within the first frame, after at most 36 bytes.
    if (mark >= 0 && mark <= at + 40 && (head.u32be(mark + 4) & 1) === 1) return head.u32be(mark + 8);
  }
  return 0;
}
