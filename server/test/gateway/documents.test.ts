/** What a document is held for: what it declares or what is found in it, whichever is more, and never a guess below that. */
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { countTokens } from '../../src/core/token-estimate.ts';
import { ANY_MEDIA, type MediaLimits } from '../../src/gateway/admit/count-media.ts';
import { surveyDocument } from '../../src/gateway/admit/documents/survey-document.ts';
import { drawn, onePageManyTimes, PAGE, packedTree, pdf, sharedStream, zip } from './document-files.ts';

const PER_PAGE = 2_000;
const LIMITS: MediaLimits = { ...ANY_MEDIA, inputLimit: 128_000 };
const survey = (bytes: Buffer, mediaType = 'application/pdf') =>
  surveyDocument({ kind: 'data', mediaType, data: bytes.toString('base64') }, LIMITS);
const max = async (bytes: Buffer, mediaType?: string) => (await survey(bytes, mediaType))?.max;
const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>';
const FONTED = '/Resources << /Font << /F1 3 0 R >> >>';

describe('a PDF', () => {
  it.each([1, 3, 200])('of %d pages that share one stream is held for each of them', async (pages) => {
    expect(await max(sharedStream(pages))).toBe(pages * PER_PAGE);
  });

  it('counts pages that it does not declare, and declared ones that are not there', async () => {
    expect(await max(sharedStream(150, 'Hello', 1))).toBe(150 * PER_PAGE);
    expect(await max(sharedStream(2, 'Hello', 90))).toBe(90 * PER_PAGE);
  });

  it('counts one page that its tree names many times, in nodes that are named many times', async () => {
    expect(await max(onePageManyTimes(40, 30))).toBe(1_200 * PER_PAGE);
  });

  it.each([true, false])('is looked into where its tree stands in the stream of another object: %s', async (packed) => {
    expect(await max(packedTree(120, packed))).toBe(120 * PER_PAGE);
  });

  it('is understood whatever its names are written like, and wherever its list of pages stands', async () => {
    const kids = Array.from({ length: 80 }, () => '6 0 R').join(' ');
    const hidden = pdf({
      head: 'junk before it\n',
      objects: {
        1: '<< /Typ#65 /Catalog /P#61ges 2 0 R >>',
        2: '<</#54ype/Pages/#43ount 9 0 R/Kids 7 0 R>>',
        6: PAGE.replace('/Page ', '/P#61ge '),
        7: `[${kids}]`,
        9: '1',
      },
    });
    expect(await max(hidden)).toBe(80 * PER_PAGE);
    expect(await max(hidden, 'application/octet-stream')).toBe(80 * PER_PAGE);
  });

  it('holds for the text of every page that shows it', async () => {
    const text = 'xq zv kj '.repeat(2_000);
    const tokens = countTokens(text).max;
    expect(await max(sharedStream(50, text))).toBeGreaterThanOrEqual(50 * tokens);
    // A form that is drawn a hundred times on each of ten pages.
    const forms = pdf({
      objects: {
        1: CATALOG,
        2: `<< /Type /Pages /Count 10 /Kids [${'5 0 R '.repeat(10)}] >>`,
        5: '<< /Type /Page /Contents 4 0 R /Resources << /XObject << /Fm 6 0 R >> >> >>',
        4: { dictionary: '', data: '/Fm Do '.repeat(100), packed: true },
        6: { dictionary: '/Subtype /Form', data: drawn('xq zv kj '.repeat(20)), packed: true },
      },
    });
    expect(await max(forms)).toBeGreaterThanOrEqual(10 * 100 * countTokens('xq zv kj '.repeat(20)).max * 0.9);
  });

  it('holds for what its characters stand for, not for the bytes that name them', async () => {
    const rare = '13A0'.repeat(200);
    const table = `1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <41> <${rare}> endbfchar`;
    const file = pdf({
      objects: {
        1: CATALOG,
        2: '<< /Type /Pages /Count 1 /Kids [5 0 R] >>',
        3: '<< /Type /Font /Subtype /TrueType /ToUnicode 6 0 R >>',
        4: { dictionary: '', data: drawn('A'.repeat(100)), packed: true },
        5: `<< /Type /Page /Contents [4 0 R] ${FONTED} >>`,
        6: { dictionary: '', data: table, packed: true },
      },
    });
    expect(await max(file)).toBeGreaterThanOrEqual(100 * 200 * 2);
  });

  it('of plain prose is held for little more than it is', async () => {
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(60);
    const held = (await max(sharedStream(1, text))) ?? 0;
    expect(held).toBeLessThan(2_000 + 2 * countTokens(text).max);
  });

  const page = '<< /Type /Page /Contents 4 0 R >>';
  const tree = { 1: CATALOG, 2: '<< /Type /Pages /Count 1 /Kids [5 0 R] >>', 5: page };
  it.each<[string, Buffer]>([
    ['that is encrypted', pdf({ objects: { ...tree, 4: '<< >>' }, trailer: '/Root 1 0 R /Encrypt 9 0 R' })],
    ['that is encrypted, said in a stream', pdf({ objects: { ...tree, 8: '<< /Type /XRef /Encrypt 9 0 R >>' } })],
    [
      'whose stream is packed in a way that is not read',
      pdf({ objects: { ...tree, 4: { dictionary: '/Filter /LZWDecode', data: 'x' } } }),
    ],
    [
      'whose stream is broken',
      pdf({ objects: { ...tree, 4: { dictionary: '/Filter /FlateDecode', data: 'no zlib' } } }),
    ],
    [
      'that unpacks to far more than it is',
      pdf({ objects: { ...tree, 4: { dictionary: '', data: '0 0 m '.repeat(4_000_000), packed: true } } }),
    ],
    [
      'whose objects are packed twice behind a predictor',
      pdf({
        objects: {
          5: {
            dictionary: '/Type /ObjStm /N 1 /First 4 /DecodeParms << /Predictor 12 >>',
            data: '1 0 << /Pages 2 0 R >>',
            packed: true,
          },
        },
      }),
    ],
    ['without a single page', pdf({ objects: { 1: CATALOG } })],
    ['that is none', Buffer.from('%PDF-1.7 a few bytes')],
    [
      'whose tree is far too deep',
      pdf({
        objects: {
          1: CATALOG,
          ...Object.fromEntries(Array.from({ length: 100 }, (_, i) => [i + 2, `<< /Kids [${i + 3} 0 R] >>`])),
        },
      }),
    ],
  ])('%s is unknown', async (_what, file) => {
    expect(await survey(file)).toBeUndefined();
  });

  it('ends with a tree that leads back to itself', async () => {
    const file = pdf({
      objects: { 1: CATALOG, 2: '<< /Type /Pages /Count 2 /Kids [2 0 R 5 0 R] >>', 5: PAGE, 4: '<< >>' },
    });
    expect(await max(file)).toBe(2 * PER_PAGE);
  });

  it('in two versions counts as the larger one', async () => {
    const both = Buffer.concat([sharedStream(60), Buffer.from('\n'), sharedStream(1)]);
    expect(await max(both)).toBe(60 * PER_PAGE);
  });

  it('whose stream is written in letters is read like any other', async () => {
    const packed = deflateSync(drawn('word '.repeat(4_000))).toString('hex');
    const file = pdf({
      objects: { ...tree, 4: { dictionary: '/Filter [/ASCIIHexDecode /FlateDecode]', data: `${packed}>` } },
    });
    expect(await max(file)).toBeGreaterThanOrEqual(4_000);
  });
});

describe('an office file', () => {
  const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

  it('is held for the text in it', async () => {
    const text = 'a paragraph of words '.repeat(3_000);
    const file = zip({ 'word/document.xml': `<w:t>${text}</w:t>`, 'word/styles.xml': '<w:style/>' });
    const tokens = countTokens(text).max;
    expect(await max(file, DOCX)).toBeGreaterThanOrEqual(tokens * 0.99);
    expect(await max(file, DOCX)).toBeLessThan(tokens * 1.1);
    expect(await max(file, 'application/octet-stream')).toBeGreaterThanOrEqual(tokens * 0.99);
  });

  it('is held for its pictures, and for every cell that refers to a long string', async () => {
    const withPictures = zip({ 'ppt/media/a.png': 'x', 'ppt/media/b.jpeg': 'x', 'ppt/slides/s.xml': '<a:t>hi</a:t>' });
    expect(await max(withPictures, DOCX)).toBeGreaterThanOrEqual(2 * ANY_MEDIA.pictures.max);
    const long = 'xq zv kj '.repeat(300);
    const cells = '<c t="s"><v>0</v></c>'.repeat(500);
    const sheet = zip({
      'xl/worksheets/sheet1.xml': cells,
      'xl/sharedStrings.xml': `<sst><si><t>${long}</t></si></sst>`,
    });
    expect(await max(sheet, DOCX)).toBeGreaterThanOrEqual(500 * countTokens(long).max);
  });

  it.each<[string, Buffer]>([
    ['a bomb', zip({ 'word/document.xml': Buffer.alloc(40_000_000, 'a') })],
    ['a bomb that claims to be small', zip({ 'word/document.xml': Buffer.alloc(40_000_000, 'a') }, 100)],
    [
      'many small bombs',
      zip(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`w/${i}.xml`, Buffer.alloc(1_000_000, 'a')]))),
    ],
    ['text that repeats itself', zip({ 'word/document.xml': '<!DOCTYPE a [<!ENTITY a "long">]><w:t>&a;</w:t>' })],
    ['a Zip that is cut', zip({ 'word/document.xml': '<w:t>hi</w:t>' }).subarray(0, 60)],
    ['an older one', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
  ])('%s is unknown', async (_what, file) => {
    expect(await survey(file, DOCX)).toBeUndefined();
  });

  it('that is a PDF too is held for the larger of both', async () => {
    const both = Buffer.concat([sharedStream(40), zip({ 'a.xml': 'hi' })]);
    expect(await max(both, DOCX)).toBe(40 * PER_PAGE);
  });
});

it('a film is unknown, and a recording that was sent as a file is held for by its seconds', async () => {
  expect(await survey(Buffer.alloc(1_000), 'video/mp4')).toBeUndefined();
  const wav = Buffer.alloc(44 + 16_000 * 2 * 10);
  wav.write('RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0', 'latin1');
  wav.writeUInt32LE(16_000, 24);
  wav.writeUInt32LE(32_000, 28);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(wav.length - 44, 40);
  expect(await max(wav, 'audio/wav')).toBe(320);
});
