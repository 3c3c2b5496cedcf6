/**
 * The pages of a PDF and the tokens of their text. A page, a stream and a form may be used many times; each is read once and
 * counted as often as it is used.
 */
import { countInTurns } from '../count-waiting.ts';
import { type ReadingBudget, Unknown } from './budget.ts';
import { listOf, type PdfObject, type SurveyedPdf } from './pdf-file.ts';
import { decodeGlyphs, type PdfFont, PLAIN_FONT, readFont } from './pdf-fonts.ts';
import { type PdfDictionary, PdfName, PdfPointer, PdfReader, PdfString, type PdfValue, PdfWord } from './pdf-syntax.ts';

const MAX_DEPTH = 48;
/** The bound over all different streams of one document. */
const MAX_TEXT = 2 * 2 ** 20;
/** Visiting a node or a part of a page takes as long as reading so many characters. */
const CHARACTERS_PER_STEP = 64;

export interface Pages {
  pages: number;
  /** Tokens of the text on all pages. */
  tokens: number;
  /** Tokens of the text on the fullest page. */
  fullest: number;
  /** The number of pages that the file states. */
  declared: number;
}

const NONE: Pages = { pages: 0, tokens: 0, fullest: 0, declared: 0 };

export class PageTree {
  readonly #file: SurveyedPdf;
  readonly #budget: ReadingBudget;
  readonly #nodes = new Map<number, Pages>();
  readonly #texts = new Map<PdfObject, number>();
  readonly #fonts = new Map<PdfDictionary, PdfFont>();
  #textLeft = MAX_TEXT;

  constructor(file: SurveyedPdf, budget: ReadingBudget) {
    this.#file = file;
    this.#budget = budget;
  }

  /** Counts a node of the tree and all below it. */
  async pagesOf(node: PdfValue | undefined, inherited?: PdfValue, depth = 0): Promise<Pages> {
    if (depth > MAX_DEPTH) throw new Unknown('a tree that is too deep');
    const number = node instanceof PdfPointer ? node.number : undefined;
    const known = number === undefined ? undefined : this.#nodes.get(number);
    if (known) return known;
    // A node that contains itself adds nothing the second time.
    if (number !== undefined) this.#nodes.set(number, NONE);
    let max = NONE;
    for (const { value } of this.#file.versions(node)) {
      if (value instanceof Map) max = larger(max, await this.#node(value, inherited, depth));
    }
    if (number !== undefined) this.#nodes.set(number, max);
    return max;
  }

  async #node(node: PdfDictionary, inherited: PdfValue | undefined, depth: number): Promise<Pages> {
    const resources = node.get('Resources') ?? inherited;
    const kids = this.#file.versions(node.get('Kids')).filter(({ value }) => Array.isArray(value));
    if (kids.length === 0) {
      const tokens = await this.#contents(node.get('Contents'), this.#file.dictionary(resources));
      return { pages: 1, tokens, fullest: tokens, declared: 1 };
    }
    const stated = this.#file.resolved(node.get('Count'));
    const declared = typeof stated === 'number' ? Math.abs(stated) : 0;
    let max: Pages = { ...NONE, declared };
    for (const { value } of kids) {
      const sum: Pages = { ...NONE, declared };
      for (const kid of listOf(value)) {
        const turn = this.#budget.turn(CHARACTERS_PER_STEP);
        if (turn) await turn;
        const below = await this.pagesOf(kid, resources, depth + 1);
        sum.pages += below.pages;
        sum.tokens += below.tokens;
        sum.fullest = Math.max(sum.fullest, below.fullest);
        sum.declared = Math.max(sum.declared, below.declared);
      }
      max = larger(max, sum);
    }
    return max;
  }

  /** One stream, or a list of them. */
  async #contents(value: PdfValue | undefined, resources: PdfDictionary | undefined): Promise<number> {
    let max = 0;
    for (const object of this.#file.versions(value)) {
      if (!Array.isArray(object.value)) max = Math.max(max, await this.#drawn(object, resources, 0));
      else {
        let sum = 0;
        for (const part of object.value) {
          const turn = this.#budget.turn(CHARACTERS_PER_STEP);
          if (turn) await turn;
          sum += await this.#contents(part, resources);
        }
        max = Math.max(max, sum);
      }
    }
    return max;
  }

  async #drawn(object: PdfObject, resources: PdfDictionary | undefined, depth: number): Promise<number> {
    const known = this.#texts.get(object);
    if (known !== undefined) return known;
    if (depth > MAX_DEPTH) throw new Unknown('forms that are nested too deeply');
    this.#texts.set(object, 0);
    const stream = await this.#file.stream(object);
    const tokens = stream === undefined ? 0 : await this.#textOf(stream, resources, depth);
    this.#texts.set(object, tokens);
    return tokens;
  }

  async #textOf(stream: string, resources: PdfDictionary | undefined, depth: number): Promise<number> {
    const reader = new PdfReader(stream);
    let font = PLAIN_FONT;
    let text = '';
    let tokens = 0;
    let operands: PdfValue[] = [];
    for (let from = 0, value = reader.next(); value !== undefined; value = reader.next()) {
      const turn = this.#budget.turn(reader.at - from);
      if (turn) await turn;
      from = reader.at;
      if (!(value instanceof PdfWord)) {
        operands.push(value);
        continue;
      }
      if (value.word === 'Tf') font = await this.#fontOf(operands[0], resources);
      else if (value.word === 'Do') tokens += await this.#form(operands[0], resources, depth);
      else if (value.word === 'ID') skipPicture(reader, stream);
      else text += decodeStrings(operands, font, this.#textLeft);
      operands = [];
      if (text.length > this.#textLeft) throw new Unknown('more text than is read of a document');
    }
    this.#textLeft -= text.length;
    return tokens + (await countInTurns(text)).max;
  }

  async #form(name: PdfValue | undefined, resources: PdfDictionary | undefined, depth: number): Promise<number> {
    if (!(name instanceof PdfName)) return 0;
    const forms = this.#file.dictionary(resources?.get('XObject'));
    let max = 0;
    for (const object of this.#file.versions(forms?.get(name.name))) {
      if (!(object.value instanceof Map)) continue;
      const subtype = this.#file.resolved(object.value.get('Subtype'));
      if (subtype instanceof PdfName && subtype.name === 'Image') continue;
      const own = this.#file.dictionary(object.value.get('Resources')) ?? resources;
      max = Math.max(max, await this.#drawn(object, own, depth + 1));
    }
    return max;
  }

  async #fontOf(name: PdfValue | undefined, resources: PdfDictionary | undefined): Promise<PdfFont> {
    if (!(name instanceof PdfName)) return PLAIN_FONT;
    const found = this.#file.dictionary(this.#file.dictionary(resources?.get('Font'))?.get(name.name));
    if (!found) return PLAIN_FONT;
    const known = this.#fonts.get(found) ?? (await readFont(found, this.#file));
    this.#fonts.set(found, known);
    return known;
  }
}

function larger(one: Pages, other: Pages): Pages {
  return {
    pages: Math.max(one.pages, other.pages),
    tokens: Math.max(one.tokens, other.tokens),
    fullest: Math.max(one.fullest, other.fullest),
    declared: Math.max(one.declared, other.declared),
  };
}

/** All strings count, also those in lists and in properties of marked content. */
function decodeStrings(values: readonly PdfValue[], font: PdfFont, max: number): string {
  let text = '';
  for (const value of values) {
    if (value instanceof PdfString) text += decodeGlyphs(value.bytes, font, max);
    else if (Array.isArray(value)) text += decodeStrings(value, font, max);
    else if (value instanceof Map) text += decodeStrings([...value.values()], PLAIN_FONT, max);
    if (text.length > max) break;
  }
  return text;
}

/** The bytes of a picture within the stream. */
function skipPicture(reader: PdfReader, stream: string): void {
  const end = /[\0\t\n\f\r ]EI(?=[\0\t\n\f\r ]|$)/g;
  end.lastIndex = reader.at;
  if (end.exec(stream)) reader.at = end.lastIndex;
}
