/** Writes the PDF file format: numbered objects, compressed streams, and the table of their positions. */
import { deflateSync } from 'node:zlib';

/** The form in which one object refers to another. */
export type PdfReference = `${number} 0 R`;

export class PdfFile {
  readonly #objects: (Buffer | undefined)[] = [];

  /** Reserves a number for an object whose content is written later. */
  reserve(): PdfReference {
    this.#objects.push(undefined);
    return `${this.#objects.length} 0 R`;
  }

  write(reference: PdfReference, content: string): PdfReference {
    this.#objects[Number.parseInt(reference, 10) - 1] = Buffer.from(content, 'latin1');
    return reference;
  }

  add(content: string): PdfReference {
    return this.write(this.reserve(), content);
  }

  addStream(content: Uint8Array, entries = ''): PdfReference {
    const packed = deflateSync(content);
    const reference = this.reserve();
    this.#objects[Number.parseInt(reference, 10) - 1] = Buffer.concat([
      Buffer.from(`<< /Length ${packed.length} /Filter /FlateDecode ${entries} >>\nstream\n`, 'latin1'),
      packed,
      Buffer.from('\nendstream', 'latin1'),
    ]);
    return reference;
  }

  end(root: PdfReference, info: PdfReference): Buffer {
    const parts = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
    let at = parts[0]?.length ?? 0;
    let table = `xref\n0 ${this.#objects.length + 1}\n0000000000 65535 f \n`;
    this.#objects.forEach((content, index) => {
      if (content === undefined) throw new Error(`object ${index + 1} of the PDF was reserved and never written`);
      const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), content, Buffer.from('\nendobj\n')]);
      table += `${String(at).padStart(10, '0')} 00000 n \n`;
      at += part.length;
      parts.push(part);
    });
    const trailer = `trailer\n<< /Size ${this.#objects.length + 1} /Root ${root} /Info ${info} >>\nstartxref\n${at}\n%%EOF\n`;
    return Buffer.concat([...parts, Buffer.from(table + trailer, 'latin1')]);
  }
}

/** A text of the file itself (title, address), in UTF-16 with a byte order mark. */
export function pdfText(text: string): string {
  return `<feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`;
}

export function pdfDate(at: Date): string {
  return `(D:${at.toISOString().replace(/\D/g, '').slice(0, 14)}Z)`;
}

/** With two decimals, because a hundredth of a point is far finer than a printer. */
export function pdfNumber(value: number): string {
  return String(Math.round(value * 100) / 100);
}
