/**
 * One font file: HarfBuzz chooses and places the glyphs of a run (joined Persian letters, ligatures, marks), and the
 * PDF embeds the part of the font that was used.
 */
import { readFileSync } from 'node:fs';
import type * as Harfbuzz from 'harfbuzzjs';
import type { Direction } from '../bidi-line.ts';
import type { PdfFile, PdfReference } from './pdf-file.ts';
import { subsetFont } from './subset-font.ts';

export interface Glyph {
  id: number;
  /** In thousandths of the font size, as PDF counts. */
  advance: number;
  x: number;
  y: number;
}

/** What one document uses of a font: glyph to the characters it stands for, so that text can be copied out again. */
export type UsedGlyphs = Map<number, string>;

/** Joiners shape their neighbours and are not drawn; HarfBuzz replaces them by an empty space. */
const VISIBLE = /\P{Default_Ignorable_Code_Point}/u;

export class Typeface {
  readonly #harfbuzz: typeof Harfbuzz;
  readonly #data: Buffer;
  readonly #font: Harfbuzz.Font;
  readonly #name: string;

  constructor(harfbuzz: typeof Harfbuzz, path: string, name: string) {
    this.#harfbuzz = harfbuzz;
    this.#data = readFileSync(path);
    this.#font = new harfbuzz.Font(new harfbuzz.Face(new harfbuzz.Blob(new Uint8Array(this.#data))));
    this.#font.setScale(1000, 1000);
    this.#name = name;
  }

  /** `seen` is the text as it appears, with mirrored brackets: the text that a reader copies. */
  shape(run: { text: string; seen: string; direction: Direction }, used: UsedGlyphs): Glyph[] {
    const harfbuzz = this.#harfbuzz;
    const buffer = new harfbuzz.Buffer();
    buffer.addText(run.text);
    buffer.guessSegmentProperties();
    buffer.setDirection(run.direction === 'rtl' ? harfbuzz.Direction.RTL : harfbuzz.Direction.LTR);
    harfbuzz.shape(this.#font, buffer);
    const infos = buffer.getGlyphInfos();
    const positions = buffer.getGlyphPositions();
    const starts = [...new Set(infos.map(({ cluster }) => cluster))].sort((a, b) => a - b);
    return infos.flatMap(({ codepoint: id, cluster }, index) => {
      const text = run.seen.slice(cluster, starts[starts.indexOf(cluster) + 1]);
      if (!VISIBLE.test(text)) return [];
      if (!used.has(id)) used.set(id, text);
      const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[index] ?? {};
      return [{ id, advance: xAdvance, x: xOffset, y: yOffset }];
    });
  }

  get ascender(): number {
    return this.#font.hExtents().ascender;
  }

  async embed(file: PdfFile, used: UsedGlyphs): Promise<PdfReference> {
    const { ascender, descender } = this.#font.hExtents();
    const program = await subsetFont(this.#data, [...used.keys()]);
    const contents = file.addStream(program, `/Length1 ${program.length}`);
    const descriptor = file.add(
      `<< /Type /FontDescriptor /FontName /${this.#name} /Flags 4 /FontBBox [-1000 -1000 2000 2000] /ItalicAngle 0 ` +
        `/Ascent ${ascender} /Descent ${descender} /CapHeight ${ascender} /StemV 80 /FontFile2 ${contents} >>`,
    );
    const widths = [...used.keys()].map((id) => `${id} [${this.#font.glyphHAdvance(id)}]`).join(' ');
    const glyphs = file.add(
      `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /${this.#name} /CIDToGIDMap /Identity /DW 0 /W [${widths}] ` +
        `/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor ${descriptor} >>`,
    );
    const characters = file.addStream(Buffer.from(characterMap(used), 'latin1'));
    return file.add(
      `<< /Type /Font /Subtype /Type0 /BaseFont /${this.#name} /Encoding /Identity-H /DescendantFonts [${glyphs}] ` +
        `/ToUnicode ${characters} >>`,
    );
  }
}

export function glyphCode(id: number): string {
  return id.toString(16).padStart(4, '0');
}

/** The table by which a reader copies text; a section holds at most 100 lines. */
function characterMap(used: UsedGlyphs): string {
  const lines = [...used].map(([id, text]) => {
    const units = Array.from({ length: text.length }, (_, at) => glyphCode(text.charCodeAt(at)));
    return `<${glyphCode(id)}> <${units.join('')}>`;
  });
  let sections = '';
  for (let at = 0; at < lines.length; at += 100) {
    const section = lines.slice(at, at + 100);
    sections += `${section.length} beginbfchar\n${section.join('\n')}\nendbfchar\n`;
  }
  return `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <ffff>
endcodespacerange
${sections}endcmap
CMapName currentdict /CMap defineresource pop
end
end`;
}
