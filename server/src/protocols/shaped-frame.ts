/** A frame that was read by its shape. */
import { type Json, parseTrustedJson } from '../core/json.ts';
import type { FramePiece } from './frame-shape.ts';
import type { SseFrame } from './protocol.ts';

/** Only its piece was read. Other fields are parsed when they are accessed. */
export class ShapedFrame implements SseFrame {
  readonly event: string | undefined;
  readonly piece: FramePiece;

  constructor(piece: FramePiece) {
    this.event = piece.shape.event;
    this.piece = piece;
  }

  get data(): string {
    return this.piece.shape.dataOf(this.piece);
  }

  get json(): Json | undefined {
    return parseTrustedJson(this.data);
  }
}
