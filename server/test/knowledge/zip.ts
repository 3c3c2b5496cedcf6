/** Packs files as Word and Excel do, and as no honest program does. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface Packed {
  name: string;
  content: Uint8Array | string;
  /** What the directory says, when it lies. */
  statedBytes?: number;
  encrypted?: boolean;
}

export function zip(files: readonly Packed[]): Uint8Array {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, statedBytes, encrypted = false } of files) {
    const bytes = Buffer.from(content);
    const data = deflateRawSync(bytes, { level: 9 });
    const label = Buffer.from(name);
    const size = statedBytes ?? bytes.length;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(encrypted ? 1 : 0, 6);
    local.writeUInt16LE(8, 8);
    local.writeUInt32LE(crc32(bytes), 14);
    local.writeUInt32LE(data.length, 18);
    local.writeUInt32LE(size, 22);
    local.writeUInt16LE(label.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(encrypted ? 1 : 0, 8);
    central.writeUInt16LE(8, 10);
    central.writeUInt32LE(crc32(bytes), 16);
    central.writeUInt32LE(data.length, 20);
    central.writeUInt32LE(size, 24);
    central.writeUInt16LE(label.length, 28);
    central.writeUInt32LE(offset, 42);
    bodies.push(local, label, data);
    directory.push(central, label);
    offset += local.length + label.length + data.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return new Uint8Array(Buffer.concat([...bodies, list, end]));
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const OFFICE = 'http://schemas.openxmlformats.org';

/** The least that a reader takes for a Word file. `heading` is styled as one. */
export function docx(heading: string, paragraph: string): Uint8Array {
  const w = `${OFFICE}/wordprocessingml/2006/main`;
  const text = (words: string, style = '') => `<w:p>${style}<w:r><w:t>${words}</w:t></w:r></w:p>`;
  const title = '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>';
  return zip([
    {
      name: '[Content_Types].xml',
      content: `${XML}<Types xmlns="${OFFICE}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    },
    {
      name: '_rels/.rels',
      content: `${XML}<Relationships xmlns="${OFFICE}/package/2006/relationships"><Relationship Id="r1" Type="${OFFICE}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    },
    {
      name: 'word/document.xml',
      content: `${XML}<w:document xmlns:w="${w}"><w:body>${text(heading, title)}${text(paragraph)}</w:body></w:document>`,
    },
  ]);
}

/** One sheet of texts. */
export function xlsx(sheet: string, rows: readonly (readonly string[])[]): Uint8Array {
  const main = `${OFFICE}/spreadsheetml/2006/main`;
  const cell = (text: string, column: number, row: number) =>
    `<c r="${String.fromCharCode(65 + column)}${row + 1}" t="inlineStr"><is><t>${text}</t></is></c>`;
  const data = rows.map(
    (row, at) => `<row r="${at + 1}">${row.map((text, column) => cell(text, column, at)).join('')}</row>`,
  );
  return zip([
    {
      name: '[Content_Types].xml',
      content: `${XML}<Types xmlns="${OFFICE}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>`,
    },
    {
      name: '_rels/.rels',
      content: `${XML}<Relationships xmlns="${OFFICE}/package/2006/relationships"><Relationship Id="r1" Type="${OFFICE}/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    },
    {
      name: 'xl/workbook.xml',
      content: `${XML}<workbook xmlns="${main}" xmlns:r="${OFFICE}/officeDocument/2006/relationships"><sheets><sheet name="${sheet}" sheetId="1" r:id="r1"/></sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: `${XML}<Relationships xmlns="${OFFICE}/package/2006/relationships"><Relationship Id="r1" Type="${OFFICE}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    },
    {
      name: 'xl/worksheets/sheet1.xml',
      content: `${XML}<worksheet xmlns="${main}"><sheetData>${data.join('')}</sheetData></worksheet>`,
    },
  ]);
}

export interface TestSlide {
  title?: string;
  lines?: readonly string[];
  table?: readonly (readonly string[])[];
  notes?: string;
}

/** Slides as PowerPoint writes them; `order` names them as they are shown, from 1. */
export function pptx(
  slides: readonly TestSlide[],
  order: readonly number[] = slides.map((_, at) => at + 1),
  more: readonly Packed[] = [],
): Uint8Array {
  const names = `xmlns:a="${OFFICE}/drawingml/2006/main" xmlns:p="${OFFICE}/presentationml/2006/main" xmlns:r="${OFFICE}/officeDocument/2006/relationships"`;
  const relations = (list: readonly (readonly [id: string, type: string, target: string])[]) =>
    `${XML}<Relationships xmlns="${OFFICE}/package/2006/relationships">${list
      .map(
        ([id, type, target]) =>
          `<Relationship Id="${id}" Type="${OFFICE}/officeDocument/2006/relationships/${type}" Target="${target}"/>`,
      )
      .join('')}</Relationships>`;
  const line = (text: string) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`;
  const shape = (texts: readonly string[], type: string) =>
    `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody>${texts.map(line).join('')}</p:txBody></p:sp>`;
  const tableOf = (rows: readonly (readonly string[])[]) =>
    `<p:graphicFrame><a:tbl>${rows
      .map((row) => `<a:tr>${row.map((cell) => `<a:tc><a:txBody>${line(cell)}</a:txBody></a:tc>`).join('')}</a:tr>`)
      .join('')}</a:tbl></p:graphicFrame>`;
  const parts = slides.flatMap(({ title, lines = [], table, notes }, at): Packed[] => [
    {
      name: `ppt/slides/slide${at + 1}.xml`,
      content: `${XML}<p:sld ${names}>${shape(lines, 'body')}${title === undefined ? '' : shape([title], 'title')}${
        table ? tableOf(table) : ''
      }${shape([String(at + 1)], 'sldNum')}</p:sld>`,
    },
    ...(notes === undefined
      ? []
      : [
          {
            name: `ppt/slides/_rels/slide${at + 1}.xml.rels`,
            content: relations([['r1', 'notesSlide', `../notesSlides/notesSlide${at + 1}.xml`]]),
          },
          {
            name: `ppt/notesSlides/notesSlide${at + 1}.xml`,
            content: `${XML}<p:notes ${names}>${shape([notes], 'body')}</p:notes>`,
          },
        ]),
  ]);
  return zip([
    {
      name: 'ppt/presentation.xml',
      content: `${XML}<p:presentation ${names}><p:sldIdLst>${order
        .map((slide, at) => `<p:sldId id="${256 + at}" r:id="r${slide}"/>`)
        .join('')}</p:sldIdLst></p:presentation>`,
    },
    {
      name: 'ppt/_rels/presentation.xml.rels',
      content: relations(slides.map((_, at) => [`r${at + 1}`, 'slide', `slides/slide${at + 1}.xml`] as const)),
    },
    ...parts,
    ...more,
  ]);
}
