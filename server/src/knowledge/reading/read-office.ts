/** Reads Word and Excel files. Both are packed: their unpacked size is checked before a library touches them. */
import { type BlockList, Unreadable } from './blocks.ts';
import { readHtml } from './read-html.ts';
import { type Cell, readRows } from './read-table.ts';
import { unreadableReasons } from './reasons.ts';
import { checkUnpackedSize } from './zip-directory.ts';

export async function readDocx(bytes: Uint8Array, unpackedBytes: number, into: BlockList): Promise<void> {
  checkUnpackedSize(bytes, unpackedBytes);
  const { default: mammoth } = await import('mammoth');
  let html: string;
  try {
    // Pictures would be extracted as megabytes of base64.
    const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
    html = (await mammoth.convertToHtml({ buffer: Buffer.from(bytes) }, { convertImage })).value;
  } catch (error) {
    throw new Unreadable(unreadableReasons.broken, error);
  }
  readHtml(html, into);
}

export async function readWorkbook(bytes: Uint8Array, unpackedBytes: number, into: BlockList): Promise<void> {
  checkUnpackedSize(bytes, unpackedBytes);
  const { default: readXlsx } = await import('read-excel-file/node');
  const sheets = await readXlsx(Buffer.from(bytes)).catch((error: unknown) => {
    throw new Unreadable(unreadableReasons.broken, error);
  });
  for (const { sheet, data } of sheets) {
    into.add({ kind: 'heading', text: sheet, level: 1 });
    readRows(data as Cell[][], into);
  }
}
