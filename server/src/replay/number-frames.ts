/**
 * Numbers the frames of server-sent events in `id:`. SDKs read `event` and `data` and ignore `id`; a browser's
 * EventSource sends the last one back as `Last-Event-ID`.
 */

const END = '\n\n';
const ID = 'id: ';
const MAX_DIGITS = 12;

/** Splits written text into frames, wherever a write ends, and numbers them from 1. */
export class FrameNumbers {
  #rest = '';
  #last = 0;

  number(text: string): string[] {
    const all = this.#rest === '' ? text : this.#rest + text;
    const frames: string[] = [];
    let from = 0;
    for (let end = all.indexOf(END); end !== -1; end = all.indexOf(END, from)) {
      const frame = all.slice(from, end);
      from = end + END.length;
      if (frame !== '' && frame !== '\n') frames.push(`${ID}${++this.#last}\n${withoutId(frame)}${END}`);
    }
    this.#rest = from === 0 ? all : all.slice(from);
    return frames;
  }
}

/** A provider's frame may have an id already; the last one in a frame counts, so ours is put after it. */
function withoutId(frame: string): string {
  const trimmed = frame.startsWith('\n') ? frame.slice(1) : frame;
  if (!trimmed.startsWith('id:') && !trimmed.includes('\nid:')) return trimmed;
  return trimmed
    .split('\n')
    .filter((line) => !line.startsWith('id:'))
    .join('\n');
}

/** The frames of a text that `FrameNumbers` wrote. */
export function framesOf(text: string): string[] {
  return text
    .split(END)
    .filter((frame) => frame !== '')
    .map((frame) => frame + END);
}

/** Returns 0 where a frame has no number. */
export function numberOf(frame: string): number {
  return frame.startsWith(ID) ? Number.parseInt(frame.slice(ID.length, ID.length + MAX_DIGITS), 10) : 0;
}
