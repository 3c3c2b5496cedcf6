/** Without `alt=sse` a stream is one JSON array whose elements arrive over time: `[{…}`, `,{…}`, `]`. */

const DATA = 'data: ';
const FRAME_END = '\n\n';

export class ArrayFrames {
  #begun = false;

  /** Takes whole frames, returns array elements. */
  write(frames: string): string {
    let text = '';
    for (const frame of frames.split(FRAME_END)) {
      if (!frame.startsWith(DATA)) continue;
      text += (this.#begun ? ',\n' : '[') + frame.slice(DATA.length);
      this.#begun = true;
    }
    return text;
  }

  end(): string {
    return this.#begun ? ']\n' : '[]\n';
  }
}
