/** Files to text, in the real reading process: every format, Persian in logical order, and files that mean harm. @tier gateway */
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Block, Unreadable } from '../../src/knowledge/reading/blocks.ts';
import { createDocumentReader, DEFAULT_READER_LIMITS } from '../../src/knowledge/reading/reader.ts';
import { ReadingProcess } from '../../src/knowledge/reading/reading-process.ts';
import { workerUrl } from '../../src/platform/worker-url.ts';
import { docx, pptx, xlsx, zip } from './zip.ts';

const reader = createDocumentReader();
const read = (name: string, content: string | Uint8Array, mediaType?: string) =>
  reader({ bytes: typeof content === 'string' ? Buffer.from(content) : content, name, mediaType });
const words = (blocks: Block[]) => blocks.map(({ text }) => text).join('\n');
const refusal = async (name: string, content: string | Uint8Array, mediaType?: string) => {
  const error: unknown = await read(name, content, mediaType).then(
    (blocks) => blocks,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Unreadable);
  const { reason } = error as Unreadable;
  expect(reason.fa).toMatch(/[\u0600-\u06ff]/);
  return reason.en;
};

/** Printed by Chromium from a right-to-left page of two pages, with joined letters and no non-joiners in the file. */
const persianPdf = new Uint8Array(readFileSync(new URL('./files/persian.pdf', import.meta.url)));

/** One page whose content is `size` blanks, packed three times over. */
function foldedPdf(size: number): Uint8Array {
  const content = [1, 2, 3].reduce<Buffer>((bytes) => deflateSync(bytes), Buffer.alloc(size, 0x20));
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<<>>>>',
  ].map((text, at) => `${at + 1} 0 obj\n${text}\nendobj\n`);
  const filters = '[/FlateDecode/FlateDecode/FlateDecode]';
  return Buffer.concat([
    Buffer.from(
      `%PDF-1.4\n${objects.join('')}4 0 obj\n<</Length ${content.length}/Filter${filters}>>stream\n`,
      'latin1',
    ),
    content,
    Buffer.from('\nendstream\nendobj\ntrailer\n<</Root 1 0 R/Size 5>>\n%%EOF', 'latin1'),
  ]);
}

describe('formats', () => {
  it('a Persian PDF comes out in logical order, with its letters, non-joiners, brackets, headings and pages', async () => {
    const blocks = await read('persian.pdf', persianPdf);
    const text = words(blocks);
    expect(text).toContain('هر کارمند می‌تواند سالانه ۲۶ روز مرخصی استحقاقی بگیرد.');
    expect(text).toContain('مرخصی‌های استفاده‌نشده (تا ۹ روز) به سال بعد');
    expect(text).toContain('باید فرم HR-12 را در سامانه پر کنید');
    expect(text).not.toMatch(/[\ufb50-\ufeff]/);
    expect(blocks).toContainEqual({ kind: 'heading', text: 'مرخصی زایمان', level: 2, page: 2 });
    expect(blocks[0]).toMatchObject({ kind: 'heading', level: 1, page: 1 });
  });

  it('Word keeps its headings', async () => {
    const blocks = await read('a.docx', docx('مرخصی', 'سالانه ۲۶ روز.'));
    expect(blocks).toEqual([
      { kind: 'heading', text: 'مرخصی', level: 1 },
      { kind: 'text', text: 'سالانه ۲۶ روز.' },
    ]);
  });

  it('tables name their columns in every row', async () => {
    const excel = await read(
      'a.xlsx',
      xlsx('قیمت‌ها', [
        ['کالا', 'قیمت'],
        ['چای', '۱۲۰'],
      ]),
    );
    expect(excel).toEqual([
      { kind: 'heading', text: 'قیمت‌ها', level: 1 },
      { kind: 'text', text: 'کالا: چای | قیمت: ۱۲۰' },
    ]);
    const csv = await read('a.csv', 'name;price\n"tea; green";12\n"say ""hi""";3\n');
    expect(words(csv)).toBe('name: tea; green | price: 12\nname: say "hi" | price: 3');
    const json = await read('a.json', '[{"name":"tea","price":{"toman":12}},{"name":"rice","tags":["a","b"]}]');
    expect(json.map(({ text }) => text)).toEqual(['name: tea\nprice.toman: 12', 'name: rice\ntags: a, b']);
  });

  it('slides come in the order they are shown, under their titles, with tables and notes', async () => {
    const slides = [
      {
        title: 'بودجه',
        table: [
          ['سرفصل', 'مبلغ'],
          ['آموزش', '۴۰'],
        ],
        notes: 'این رقم هنوز تأیید نشده است.',
      },
      { lines: ['چشم‌انداز', 'رشد &amp; آرامش'] },
    ];
    const blocks = await read('a.pptx', pptx(slides, [2, 1]));
    expect(blocks).toEqual([
      { kind: 'heading', text: 'چشم‌انداز', level: 1, page: 1 },
      { kind: 'text', text: 'رشد & آرامش', page: 1 },
      { kind: 'heading', text: 'بودجه', level: 1, page: 2 },
      { kind: 'text', text: 'سرفصل: آموزش | مبلغ: ۴۰', page: 2 },
      { kind: 'text', text: 'این رقم هنوز تأیید نشده است.', page: 2 },
    ]);
  });

  it('HTML is what a reader of the page would read', async () => {
    const html =
      '<title>T</title><script>evil()</script><nav>menu</nav><h2>سلام</h2><p>یک &amp; دو<br>سه</p><table><tr><td>a</td><td>b</td></tr></table>';
    const blocks = await read('a.html', html);
    expect(blocks).toContainEqual({ kind: 'heading', text: 'سلام', level: 2 });
    expect(words(blocks)).toBe('T\nسلام\nیک & دو\nسه\na | b');
  });

  it('Markdown keeps headings, and a # inside code is none', async () => {
    const blocks = await read('a.md', '---\nx: 1\n---\n# یک\nمتن\n\n```\n# not a heading\n```\n');
    expect(blocks.filter(({ kind }) => kind === 'heading')).toEqual([{ kind: 'heading', text: 'یک', level: 1 }]);
    expect(words(blocks)).toContain('# not a heading');
  });

  it('text of old Windows and of UTF-16 is read', async () => {
    const old = Uint8Array.from([0xd3, 0xe1, 0xc7, 0xe3]);
    expect(words(await read('a.txt', old))).toBe('سلام');
    expect(words(await read('a.txt', Buffer.from('\ufeffسلام', 'utf16le')))).toBe('سلام');
  });

  it('drops NUL bytes, hidden letters and direction tricks, and keeps the non-joiner', async () => {
    const blocks = await read(
      'a.txt',
      'می\u200cرود\u0000 \u202eevil\u202c \u{e0041}\u{e0042}end, and enough text to be text at all',
    );
    expect(words(blocks)).toBe('می\u200cرود evil end, and enough text to be text at all');
  });
});

describe('hostile files fail alone, with a reason', () => {
  it.each<[string, string, Uint8Array | string, RegExp]>([
    ['no bytes', 'a.txt', '', /empty/],
    ['only spaces', 'a.txt', ' \n\t ', /no text/],
    ['a broken PDF', 'a.pdf', `%PDF-1.7\n${'x'.repeat(2000)}`, /damaged/],
    ['a cut PDF', 'a.pdf', persianPdf.slice(0, 300), /damaged|no text/],
    ['a picture called PDF', 'a.pdf', Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]), /not pdf/],
    ['a program called text', 'a.txt', Uint8Array.from({ length: 4096 }, (_, at) => at % 7), /not recognised/],
    ['a cut Word file', 'a.docx', docx('a', 'b').slice(0, 200), /damaged/],
    ['an archive of something else', 'a.docx', zip([{ name: 'a.txt', content: 'hi' }]), /not recognised/],
    ['an encrypted archive', 'a.docx', zip([{ name: 'word/document.xml', content: 'x', encrypted: true }]), /password/],
    ['an old or locked Office file', 'a.docx', Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1]), /password/],
    ['a cut presentation', 'a.pptx', pptx([{ title: 'a' }]).slice(0, 200), /damaged/],
    ['a presentation without slides', 'a.pptx', pptx([]), /damaged/],
    ['a presentation whose slides are not there', 'a.pptx', pptx([{ title: 'a' }], [7]), /damaged/],
    ['a text called presentation', 'a.pptx', 'hello', /not pptx/],
    ['a presentation without a word', 'a.pptx', pptx([{}]), /no text/],
    ['broken JSON', 'a.json', '{"a":', /not valid JSON/],
    ['bottomless JSON', 'a.json', '['.repeat(50_000) + ']'.repeat(50_000), /deep/],
  ])('%s', async (_what, name, content, expected) => {
    expect(await refusal(name, content)).toMatch(expected);
  });

  it('a password-protected PDF', async () => {
    const pdf = readFileSync(new URL('./files/locked.pdf', import.meta.url));
    expect(await refusal('locked.pdf', new Uint8Array(pdf))).toMatch(/password/);
  });

  it('zip bombs, honest and lying', async () => {
    const limited = createDocumentReader({ ...DEFAULT_READER_LIMITS, unpackedBytes: 1_000_000 });
    const name = 'word/document.xml';
    const honest = zip([{ name, content: new Uint8Array(1_000_001) }]);
    const lying = zip([{ name, content: new Uint8Array(1_000_001), statedBytes: 10 }]);
    expect(honest.length).toBeLessThan(2_000);
    for (const bytes of [honest, lying])
      await expect(limited({ bytes, name: 'a.docx', mediaType: undefined })).rejects.toThrow(/grows beyond/);
  });

  it('slides that are bombs, that are shown a million times, and that all have the same notes', async () => {
    const limited = createDocumentReader({ ...DEFAULT_READER_LIMITS, unpackedBytes: 1_000_000 });
    const readLimited = (bytes: Uint8Array) => limited({ bytes, name: 'a.pptx', mediaType: undefined });
    const name = 'ppt/media/a.xml';
    const bombs = [
      { name, content: new Uint8Array(1_000_001) },
      { name, content: new Uint8Array(1_000_001), statedBytes: 10 },
    ];
    for (const bomb of bombs)
      await expect(readLimited(pptx([{ title: 'a' }], [1], [bomb]))).rejects.toThrow(/grows beyond/);
    const shown = await readLimited(pptx([{ title: 'a', lines: ['once'] }], new Array(5_000).fill(1)));
    expect(shown).toHaveLength(2);
    // Forty slides whose notes are one part of 50 KB: unpacked once it is little, forty times it is two megabytes.
    const same = Array.from({ length: 40 }, () => ({ title: 'a' }));
    const notes = { name: 'ppt/notesSlides/all.xml', content: `<a:t>${'x'.repeat(50_000)}</a:t>` };
    const relations = same.map((_, at) => ({
      name: `ppt/slides/_rels/slide${at + 1}.xml.rels`,
      content: '<R><Relationship Id="r1" Type="x/notesSlide" Target="../notesSlides/all.xml"/></R>',
    }));
    await expect(readLimited(pptx(same, undefined, [notes, ...relations]))).rejects.toThrow(/grows beyond/);
  });

  it('a small PDF that unfolds into far more than there is room for', async () => {
    const bomb = foldedPdf(400 * 1024 * 1024);
    expect(bomb.length).toBeLessThan(10_000);
    const watched = createDocumentReader({ ...DEFAULT_READER_LIMITS, memoryMb: 300 });
    await expect(watched({ bytes: bomb, name: 'a.pdf', mediaType: undefined })).rejects.toThrow(/too much memory/);
    // The next file is read by a process of its own.
    const next = await watched({ bytes: persianPdf, name: 'b.pdf', mediaType: undefined });
    expect(next.length).toBeGreaterThan(0);
  });

  it('a process reads several files, and none after it was ended', async () => {
    const process = new ReadingProcess(
      await workerUrl('knowledge/reading/read-document.worker.ts'),
      DEFAULT_READER_LIMITS,
    );
    const order = { name: 'a.docx', mediaType: undefined, limits: DEFAULT_READER_LIMITS };
    for (const text of ['یک', 'دو']) {
      const report = await process.read({ ...order, bytes: docx('عنوان', text) });
      expect(report).toMatchObject({ kind: 'read' });
      expect(JSON.stringify(report)).toContain(text);
    }
    expect(process.usable).toBe(true);
    process.end();
    expect(process.usable).toBe(false);
  });

  it.runIf(process.platform === 'linux')('the kernel holds a process that outruns the watch', async () => {
    const program = new URL('./files/greedy-program.mjs', import.meta.url);
    const limits = { readingMs: 60_000, memoryMb: 128 };
    const order = { bytes: new Uint8Array(), mediaType: undefined, limits: DEFAULT_READER_LIMITS };
    const held = new ReadingProcess(program, limits);
    const { blocks } = (await held.read({ ...order, name: 'room' })) as { blocks: { text: string }[] };
    // Enough for what a file may need, whatever this version of the engine reserved for itself, and not much more.
    const roomMb = Number(blocks[0]?.text) / 1024 / 1024;
    expect(roomMb).toBeGreaterThan(128);
    expect(roomMb).toBeLessThan(128 + 256);
    // Refused by the kernel or seen by the watch: it is the same to whoever sent the file.
    await expect(held.read({ ...order, name: 'fill' })).rejects.toThrow(/too much memory/);
    expect(held.usable).toBe(false);
  });

  it('a file that takes too long, too much memory, or too much text', async () => {
    const slow = createDocumentReader({ ...DEFAULT_READER_LIMITS, readingMs: 1 });
    await expect(slow({ bytes: persianPdf, name: 'a.pdf', mediaType: undefined })).rejects.toThrow(/too long/);
    const small = createDocumentReader({ ...DEFAULT_READER_LIMITS, memoryMb: 16, readingMs: 10_000 });
    const wide = Buffer.from(`[${'{"a":[1,2,3,4,5]},'.repeat(300_000)}1]`);
    await expect(small({ bytes: wide, name: 'a.json', mediaType: undefined })).rejects.toThrow(/memory|too long/);
    const short = createDocumentReader({ ...DEFAULT_READER_LIMITS, characters: 100 });
    const long = Buffer.from('word '.repeat(100));
    await expect(short({ bytes: long, name: 'a.txt', mediaType: undefined })).rejects.toThrow(/longer than 100/);
  });
});
