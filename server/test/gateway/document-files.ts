/** Documents as attackers and honest programs write them. */
import { deflateRawSync, deflateSync } from 'node:zlib';

export interface PdfOptions {
  /** Objects by their number, each with its dictionary or value as written. */
  objects: Record<number, string | PdfStream>;
  trailer?: string;
  head?: string;
}

export interface PdfStream {
  /** Without the brackets. */
  dictionary: string;
  data: Buffer | string;
  /** Packs the data. */
  packed?: boolean;
}

export function pdf({ objects, trailer = '/Root 1 0 R', head = '' }: PdfOptions): Buffer {
  const parts: Buffer[] = [Buffer.from(`${head}%PDF-1.7\n`)];
  for (const [number, object] of Object.entries(objects)) {
    parts.push(Buffer.from(`${number} 0 obj\n`));
    parts.push(...(typeof object === 'string' ? [Buffer.from(object)] : streamOf(object)));
    parts.push(Buffer.from('\nendobj\n'));
  }
  parts.push(Buffer.from(`trailer\n<< ${trailer} >>\n%%EOF\n`));
  return Buffer.concat(parts);
}

function streamOf({ dictionary, data, packed }: PdfStream): Buffer[] {
  const bytes = packed ? deflateSync(data) : Buffer.from(data as string);
  const filter = packed ? '/Filter /FlateDecode ' : '';
  return [
    Buffer.from(`<< ${dictionary} ${filter}/Length ${bytes.length} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ];
}

export const drawn = (text: string): string => `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`;
const refs = (numbers: readonly number[]): string => numbers.map((number) => `${number} 0 R`).join(' ');
const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
export const PAGE =
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >>';

/** Pages of their own that share one stream, as the attack had them. */
export function sharedStream(pages: number, text = 'Hello', count = pages): Buffer {
  const numbers = Array.from({ length: pages }, (_, index) => 10 + index);
  return pdf({
    objects: {
      1: '<< /Type /Catalog /Pages 2 0 R >>',
      2: `<< /Type /Pages /Count ${count} /Kids [${refs(numbers)}] >>`,
      3: FONT,
      4: { dictionary: '', data: drawn(text), packed: true },
      ...Object.fromEntries(numbers.map((number) => [number, PAGE])),
    },
  });
}

/** One page object that the tree names many times, in nodes that are themselves named many times. */
export function onePageManyTimes(perNode: number, nodes: number): Buffer {
  return pdf({
    objects: {
      1: '<< /Type /Catalog /Pages 2 0 R >>',
      2: `<< /Type /Pages /Count 1 /Kids [${refs(Array.from({ length: nodes }, () => 5))}] >>`,
      3: FONT,
      4: { dictionary: '', data: drawn('Hello'), packed: true },
      5: `<< /Type /Pages /Count 1 /Kids [${refs(Array.from({ length: perNode }, () => 6))}] >>`,
      6: PAGE,
    },
  });
}

/** The page tree stands packed in the stream of another object. */
export function packedTree(pages: number, filter = true): Buffer {
  const numbers = Array.from({ length: pages }, (_, index) => 10 + index);
  const inside: [number, string][] = [
    [1, '<< /Type /Catalog /Pages 2 0 R >>'],
    [2, `<< /Type /Pages /Count ${pages} /Kids [${refs(numbers)}] >>`],
    ...numbers.map((number): [number, string] => [number, PAGE]),
  ];
  let offset = 0;
  let heads = '';
  for (const [number, text] of inside) {
    heads += `${number} ${offset} `;
    offset += text.length + 1;
  }
  const data = heads + inside.map(([, text]) => text).join('\n');
  const dictionary = `/Type /ObjStm /N ${inside.length} /First ${heads.length}`;
  return pdf({
    objects: {
      3: FONT,
      4: { dictionary: '', data: drawn('Hello'), packed: true },
      5: { dictionary, data, packed: filter },
    },
  });
}

/** A Zip of these files. `stated` is what it claims about unpacked sizes. */
export function zip(files: Record<string, string | Buffer>, stated?: number): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const packed = deflateRawSync(content);
    const size = stated ?? content.length;
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(8, 8);
    head.writeUInt32LE(packed.length, 18);
    head.writeUInt32LE(size, 22);
    head.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(size, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    local.push(head, Buffer.from(name), packed);
    central.push(entry, Buffer.from(name));
    at += 30 + name.length + packed.length;
  }
  const list = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...local, list, end]);
}
