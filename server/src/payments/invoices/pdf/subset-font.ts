/** The part of a font that a document uses, made by HarfBuzz's own subsetter, a WebAssembly module without imports. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

interface Subsetter {
  _initialize(): void;
  memory: { readonly buffer: ArrayBuffer };
  malloc(size: number): number;
  free(at: number): void;
  hb_blob_create(data: number, length: number, mode: number, user: number, destroy: number): number;
  hb_blob_destroy(blob: number): void;
  hb_blob_get_data(blob: number, length: number): number;
  hb_blob_get_length(blob: number): number;
  hb_face_create(blob: number, index: number): number;
  hb_face_destroy(face: number): void;
  hb_face_reference_blob(face: number): number;
  hb_set_add(set: number, value: number): void;
  hb_subset_input_create_or_fail(): number;
  hb_subset_input_destroy(input: number): void;
  hb_subset_input_glyph_set(input: number): number;
  hb_subset_input_set_flags(input: number, flags: number): void;
  hb_subset_or_fail(face: number, input: number): number;
}

/** Node's types leave the types of WebAssembly to those of browsers. */
declare const WebAssembly: { instantiate(code: Uint8Array): Promise<{ instance: { exports: Subsetter } }> };

const READ_ONLY = 1;
/** HarfBuzz's flags: glyphs keep their numbers, and no glyph is added for joining rules. */
const RETAIN_GIDS = 2;
const NO_LAYOUT_CLOSURE = 0x200;

let loading: Promise<Subsetter> | undefined;

async function load(): Promise<Subsetter> {
  const path = createRequire(import.meta.url).resolve('harfbuzzjs/dist/harfbuzz-subset.wasm');
  const { instance } = await WebAssembly.instantiate(await readFile(path));
  instance.exports._initialize();
  return instance.exports;
}

export async function subsetFont(font: Uint8Array, glyphs: readonly number[]): Promise<Buffer> {
  loading ??= load();
  const hb = await loading;
  const data = hb.malloc(font.length);
  new Uint8Array(hb.memory.buffer).set(font, data);
  const blob = hb.hb_blob_create(data, font.length, READ_ONLY, 0, 0);
  const face = hb.hb_face_create(blob, 0);
  const input = hb.hb_subset_input_create_or_fail();
  const wanted = hb.hb_subset_input_glyph_set(input);
  for (const id of glyphs) hb.hb_set_add(wanted, id);
  hb.hb_subset_input_set_flags(input, RETAIN_GIDS | NO_LAYOUT_CLOSURE);
  const subset = hb.hb_subset_or_fail(face, input);
  try {
    if (subset === 0) throw new Error('the font could not be cut down to the glyphs of the document');
    const result = hb.hb_face_reference_blob(subset);
    const at = hb.hb_blob_get_data(result, 0);
    const copy = Buffer.from(hb.memory.buffer.slice(at, at + hb.hb_blob_get_length(result)));
    hb.hb_blob_destroy(result);
    hb.hb_face_destroy(subset);
    return copy;
  } finally {
    hb.hb_subset_input_destroy(input);
    hb.hb_face_destroy(face);
    hb.hb_blob_destroy(blob);
    hb.free(data);
  }
}
