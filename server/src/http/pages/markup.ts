/** HTML templates that escape everything put into them, unless it is markup itself. */

export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Piece = string | number | Markup | undefined | readonly Piece[];

export function html(fixed: TemplateStringsArray, ...pieces: Piece[]): Markup {
  let text = fixed[0] ?? '';
  pieces.forEach((piece, index) => {
    text += written(piece) + (fixed[index + 1] ?? '');
  });
  return new Markup(text);
}

function written(piece: Piece): string {
  if (piece === undefined) return '';
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === 'object') return piece.map(written).join('');
  return String(piece).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
