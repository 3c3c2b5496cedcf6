/** How a relay writes the frames of a shape, so that it need not be asked for each of them. */
import type { FramePiece } from './frame-shape.ts';
import { blanksBefore, END, onlyOne, paddingAfter, plainPlace, stringsIn, type Token } from './frame-strings.ts';

/** The text between both places of plain reasoning, which the chat protocol tells twice in a frame (`openai-chat/reasoning-details.ts`). */
const TOLD_AGAIN = '","reasoning_details":[{"type":"reasoning.text","text":"';

/** The shape of frames as the relay writes them, seen in one that it wrote. */
export class WrittenSchema {
  readonly #head: string;
  readonly #again: boolean;
  readonly #middle: string;
  readonly #tail: string;
  /** Whether padding and unusual escapes go out as they came; undefined while none was seen. */
  readonly #padded: boolean | undefined;
  readonly #keepsEscapes: boolean | undefined;
  /** The text from the words of a frame to those of the next one; made when it is first needed. */
  #between: string | undefined;

  private constructor(
    parts: { head: string; again: boolean; middle: string; tail: string },
    habits: { padded: boolean | undefined; keepsEscapes: boolean | undefined },
  ) {
    this.#head = parts.head;
    this.#again = parts.again;
    this.#middle = parts.middle;
    this.#tail = parts.tail;
    this.#padded = habits.padded;
    this.#keepsEscapes = habits.keepsEscapes;
  }

  /** Returns undefined when it cannot be told where in `written` the piece stands. */
  static of(written: string, piece: FramePiece): WrittenSchema | undefined {
    const begin = written.indexOf('{');
    if (!written.endsWith(END) || written.indexOf('\n\n') !== written.length - 2) return undefined;
    if (begin < 0 || written.lastIndexOf('"', begin) >= 0) return undefined;
    const plain =
      piece.shape.padding === 'blanks' && !written.includes(TOLD_AGAIN)
        ? plainPlace(written, begin, piece.text)
        : undefined;
    const tokens = plain ? [plain] : stringsIn(written, begin);
    const repeated = tokens && secondTelling(written, tokens);
    const place =
      tokens && onlyOne(written, repeated ? tokens.filter((token) => token !== repeated) : tokens, piece.text);
    if (!tokens || !place) return undefined;
    const found = written.slice(place.from, place.to);
    if (repeated && !written.startsWith(`${found}${TOLD_AGAIN}${found}"`, place.from)) return undefined;
    const keepsEscapes = piece.loose ? found === piece.raw : undefined;
    if (found !== (keepsEscapes ? piece.raw : regular(piece.text))) return undefined;
    const paddingFrom = paddingIn(written, tokens, place, piece);
    const paddingTo = paddingFrom < 0 ? written.length - END.length : paddingFrom + piece.padding.length;
    const middle = written.slice((repeated ?? place).to, paddingFrom < 0 ? paddingTo : paddingFrom);
    const again = repeated !== undefined;
    const parts = { head: written.slice(0, place.from), again, middle, tail: written.slice(paddingTo) };
    const unseen = piece.shape.padding === 'blanks' && piece.padding === '';
    return new WrittenSchema(parts, { padded: unseen ? undefined : paddingFrom >= 0, keepsEscapes });
  }

  /** Joins both when they say the same. */
  and(other: WrittenSchema): WrittenSchema | undefined {
    const padded = this.#padded ?? other.#padded;
    const keepsEscapes = this.#keepsEscapes ?? other.#keepsEscapes;
    const same =
      this.#head === other.#head &&
      this.#again === other.#again &&
      this.#middle === other.#middle &&
      this.#tail === other.#tail;
    const agree = padded === (other.#padded ?? padded) && keepsEscapes === (other.#keepsEscapes ?? keepsEscapes);
    return same && agree ? new WrittenSchema(this.#parts, { padded, keepsEscapes }) : undefined;
  }

  /** Returns undefined for a piece of a kind that was not seen yet. */
  write({ raw, text, loose: unusual, padding }: FramePiece): string | undefined {
    if (unusual && this.#keepsEscapes === undefined) return undefined;
    if (padding !== '' && this.#padded === undefined) return undefined;
    const string = unusual && !this.#keepsEscapes ? regular(text) : raw;
    const told = this.#again ? string + TOLD_AGAIN + string : string;
    return this.#head + told + this.#middle + (this.#padded ? padding : '') + this.#tail;
  }

  /** Whether frames without escapes and padding are one text between their words. */
  get writesRuns(): boolean {
    return !this.#again;
  }

  /** Writes a frame for each of the words, which are plain. */
  writeRun(words: readonly string[]): string {
    const closing = this.#middle + this.#tail;
    this.#between ??= Buffer.from(closing + this.#head).toString();
    return this.#head + words.join(this.#between) + closing;
  }

  get #parts() {
    return { head: this.#head, again: this.#again, middle: this.#middle, tail: this.#tail };
  }
}

function secondTelling(written: string, tokens: readonly Token[]): Token | undefined {
  const at = written.indexOf(TOLD_AGAIN);
  return at < 0 ? undefined : tokens.find(({ from }) => from === at + TOLD_AGAIN.length);
}

/** Returns -1 when the padding is not written. */
function paddingIn(written: string, tokens: readonly Token[], place: Token, { shape, padding }: FramePiece): number {
  if (shape.padding === 'blanks') {
    const to = written.length - END.length;
    const from = blanksBefore(written, to);
    return padding !== '' && from === to - padding.length ? from : -1;
  }
  const token = paddingAfter(written, tokens, place);
  return token && written.slice(token.from, token.to) === padding ? token.from : -1;
}

function regular(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
