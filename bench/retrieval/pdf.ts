/** A PDF of text, as programs that write letters and reports make it: packed pages, one of the usual typefaces. */
import { deflateSync } from 'node:zlib';

const LEADING = 16;

export function writePdf(pages: readonly (readonly string[])[]): Buffer {
  const objects: Buffer[] = [];
  const add = (body: string | Buffer) => objects.push(Buffer.from(body));
  const pageNumber = (at: number) => 4 + at * 2;
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add(`<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${pageNumber(at)} 0 R`).join(' ')}] >>`);
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  pages.forEach((lines, at) => {
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${pageNumber(at) + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    );
    const drawn = lines.map((line) => `(${line.replace(/[\\()]/g, '\\$&').replace(/[^\x20-\x7e]/g, ' ')}) Tj T*`);
    const packed = deflateSync(Buffer.from(`BT /F1 11 Tf ${LEADING} TL 40 800 Td\n${drawn.join('\n')}\nET`));
    add(
      Buffer.concat([
        Buffer.from(`<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`),
        packed,
        Buffer.from('\nendstream'),
      ]),
    );
  });
  return assemble(objects);
}

function assemble(objects: readonly Buffer[]): Buffer {
  const parts = [Buffer.from('%PDF-1.7\n')];
  let offset = parts[0]?.length ?? 0;
  const offsets = objects.map((body, at) => {
    const object = Buffer.concat([Buffer.from(`${at + 1} 0 obj\n`), body, Buffer.from('\nendobj\n')]);
    parts.push(object);
    const start = offset;
    offset += object.length;
    return start;
  });
  const table = offsets.map((start) => `${String(start).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${offset}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}
