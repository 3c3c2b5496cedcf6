/** One A4 sheet, measured in points from its upper left corner: lines of text, rules, boxes, filled squares, a link. */
import type { VisualRun } from '../bidi-line.ts';
import { pdfNumber as n, PdfFile, pdfDate, pdfText } from './pdf-file.ts';
import { type Glyph, glyphCode, type Typeface, type UsedGlyphs } from './typeface.ts';

export const A4 = { width: 595.28, height: 841.89 };

export interface Line {
  glyphs: Glyph[];
  size: number;
  font: string;
  width: number;
}

export class Sheet {
  readonly #typefaces: ReadonlyMap<string, Typeface>;
  readonly #used = new Map<string, UsedGlyphs>();
  readonly #links: string[] = [];
  #content = '';

  constructor(typefaces: ReadonlyMap<string, Typeface>) {
    this.#typefaces = typefaces;
  }

  measure(runs: readonly VisualRun[], font: string, size: number): Line {
    const used = this.#used.get(font) ?? new Map();
    this.#used.set(font, used);
    const typeface = this.#typeface(font);
    const glyphs = runs.flatMap((run) => typeface.shape(run, used));
    const width = glyphs.reduce((sum, { advance }) => sum + advance, 0) * (size / 1000);
    return { glyphs, size, font, width };
  }

  /** `y` is the upper edge of the line. */
  draw(line: Line, x: number, y: number): void {
    const baseline = A4.height - y - (this.#typeface(line.font).ascender * line.size) / 1000;
    const scale = line.size / 1000;
    let at = x;
    this.#content += `BT /${line.font} ${n(line.size)} Tf\n`;
    for (const { id, advance, x: dx, y: dy } of line.glyphs) {
      this.#content += `1 0 0 1 ${n(at + dx * scale)} ${n(baseline + dy * scale)} Tm <${glyphCode(id)}> Tj\n`;
      at += advance * scale;
    }
    this.#content += 'ET\n';
  }

  /** Sets the colour of everything that is filled from here on. */
  fillWith(colour: string): void {
    this.#content += `${rgb(colour)} rg\n`;
  }

  rule(from: number, to: number, y: number, colour: string): void {
    const height = n(A4.height - y);
    this.#content += `${rgb(colour)} RG 0.5 w ${n(from)} ${height} m ${n(to)} ${height} l S\n`;
  }

  /** Draws a filled box. The colour of later fills must be set again. */
  box(x: number, y: number, width: number, height: number, colour: string): void {
    this.#content += `${rgb(colour)} rg ${n(x)} ${n(A4.height - y - height)} ${n(width)} ${n(height)} re f\n`;
  }

  frame(x: number, y: number, width: number, height: number, colour: string): void {
    this.#content += `${rgb(colour)} RG 0.5 w ${n(x)} ${n(A4.height - y - height)} ${n(width)} ${n(height)} re S\n`;
  }

  square(x: number, y: number, side: number): void {
    this.#content += `${n(x)} ${n(A4.height - y - side)} ${n(side)} ${n(side)} re f\n`;
  }

  link(address: string, x: number, y: number, width: number, height: number): void {
    const bottom = A4.height - y - height;
    this.#links.push(
      `<< /Type /Annot /Subtype /Link /Border [0 0 0] /Rect [${n(x)} ${n(bottom)} ${n(x + width)} ${n(bottom + height)}] ` +
        `/A << /S /URI /URI (${encodeURI(address).replace(/[()\\]/g, '\\$&')}) >> >>`,
    );
  }

  async file(title: string, at: Date): Promise<Buffer> {
    const file = new PdfFile();
    const pages = file.reserve();
    const fonts: string[] = [];
    for (const [name, used] of this.#used) fonts.push(`/${name} ${await this.#typeface(name).embed(file, used)}`);
    const contents = file.addStream(Buffer.from(this.#content, 'latin1'));
    const page = file.add(
      `<< /Type /Page /Parent ${pages} /MediaBox [0 0 ${A4.width} ${A4.height}] /Contents ${contents} ` +
        `/Resources << /Font << ${fonts.join(' ')} >> >> /Annots [${this.#links.join(' ')}] >>`,
    );
    file.write(pages, `<< /Type /Pages /Kids [${page}] /Count 1 >>`);
    const root = file.add(`<< /Type /Catalog /Pages ${pages} >>`);
    const dates = `/CreationDate ${pdfDate(at)} /ModDate ${pdfDate(at)}`;
    return file.end(root, file.add(`<< /Title ${pdfText(title)} ${dates} >>`));
  }

  #typeface(name: string): Typeface {
    const typeface = this.#typefaces.get(name);
    if (typeface === undefined) throw new Error(`no typeface ${name}`);
    return typeface;
  }
}

function rgb(colour: string): string {
  return [1, 3, 5].map((at) => n(Number.parseInt(colour.slice(at, at + 2), 16) / 255)).join(' ');
}
