/** Lines of released versions in the journal: this build reads them and posts them as its own, whatever columns came since. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseTrustedJson } from '../../src/core/json.ts';
import { recoverJournal } from '../../src/ledger/index.ts';
import { writeLine } from '../../src/ledger/journal-lines.ts';
import { decodeRecord, encodeRecord, ownText } from '../../src/requestlog/index.ts';
import { columnsOfLine, LINE_FORMAT, type LineLayout, RELEASED_LINES } from '../../src/requestlog/line-formats.ts';
import { OWN_LAYOUT } from '../../src/requestlog/record-text.ts';
import { record, startRecord } from '../ledger/request-fixture.ts';

const RELEASED = parseTrustedJson(
  readFileSync(join(import.meta.dirname, '../../migrations/released.json'), 'utf8'),
) as Record<string, unknown>;
const OF_0_1_0 = RELEASED_LINES['0.1.0'] as LineLayout;

/** The same request as a version with these columns would have written it. */
function lineAs(text: string, { format, own, shared }: LineLayout): string {
  const columns = columnsOfLine(text, [OWN_LAYOUT])?.columns ?? {};
  const written = (name: string) => columns[name] ?? `value of ${name}`;
  const parts = own.map(written);
  const name = format === 1 ? [] : [String(format)];
  return [...parts.slice(0, 2), ...name, shared.map(written).join('\f'), ...parts.slice(2)].join('\t');
}

const without = (layout: LineLayout, ...names: string[]): LineLayout => ({
  format: 1,
  own: layout.own.filter((name) => !names.includes(name)),
  shared: layout.shared.filter((name) => !names.includes(name)),
});

describe('lines of the journal', () => {
  it('name their format', () => {
    expect(encodeRecord(record('r1')).split('\t')[2]).toBe(String(LINE_FORMAT));
  });

  it('have a layout here for every released version, and a new number when columns change after a release', () => {
    expect(Object.keys(RELEASED_LINES)).toEqual(expect.arrayContaining(Object.keys(RELEASED)));
    for (const layout of Object.values(RELEASED_LINES))
      if (layout.format === LINE_FORMAT) expect(layout).toEqual(OWN_LAYOUT);
  });

  it('of 0.1.0 are as 0.1.0 wrote them', () => {
    const whole = [
      'req_1\t1763300000000',
      'acme\fk1\fchat.completions\facme/one\ff\fp1\f2025-11-16\fcompleted\f\f200\fprov\f*:daily:2025-11-16',
      '900\t500\t\t120\t10\t20\t{"user":"u"}',
    ].join('\t');
    expect(decodeRecord(whole)).toMatchObject({
      id: 'req_1',
      accountId: 'acme',
      status: 200,
      provider: 'prov',
      held: 900n,
      cost: 500n,
      providerCost: null,
      durationMs: 120,
      user: 'u',
    });
  });

  it('of this build are never taken for its own by 0.1.0, which counts their parts and then does not start', () => {
    const partsOf010 = OF_0_1_0.own.length + 1;
    expect(encodeRecord(record('r1')).split('\t')).not.toHaveLength(partsOf010);
  });

  it('of 0.1.0 become lines of this build with every value they had', () => {
    const own = encodeRecord(record('r1'));
    const old = lineAs(own, OF_0_1_0);
    expect(old).not.toBe(own);
    expect(ownText(own)).toBe(own);
    const made = ownText(old) ?? '';
    const { columns } = columnsOfLine(made, [OWN_LAYOUT]) ?? { columns: {} };
    const before = columnsOfLine(old, [OF_0_1_0])?.columns ?? {};
    expect(columns).toMatchObject(before);
    expect(Object.keys(columns).sort()).toEqual([...OWN_LAYOUT.own, ...OWN_LAYOUT.shared].sort());
    expect(decodeRecord(old)).toEqual(decodeRecord(made));
  });

  it('of a version without some of the columns get the value of a request that did nothing, and derived ones their own', () => {
    const own = encodeRecord(record('r1'));
    // Seen from that version these were added since: at the end, in the middle, shared ones, one that is worked out.
    const older = without(
      OWN_LAYOUT,
      'held',
      'duration_ms',
      'provider_cost',
      'stream',
      'provider',
      'status',
      'input_tokens',
    );
    const text = ownText(lineAs(own, older), [OWN_LAYOUT, older]) ?? '';
    const read = decodeRecord(text);
    expect(read).toEqual({
      ...decodeRecord(own),
      held: 0n,
      durationMs: 0,
      providerCost: null,
      stream: false,
      provider: null,
      status: 0,
    });
    const tokens = (line: string) => columnsOfLine(line, [OWN_LAYOUT])?.columns['input_tokens'];
    expect(tokens(text)).toBe(tokens(own));
    expect(Number(tokens(own))).toBeGreaterThan(0);
  });

  it('of a version with a column that is gone lose only that column', () => {
    const own = encodeRecord(record('r1'));
    const other: LineLayout = { ...OWN_LAYOUT, format: 7, shared: ['gone', ...OWN_LAYOUT.shared] };
    expect(ownText(lineAs(own, other), [OWN_LAYOUT, other])).toBe(own);
  });

  it('with one column more or less than their format says, or of a format that nobody released, are not read', () => {
    const own = encodeRecord(record('r1'));
    const old = lineAs(own, OF_0_1_0);
    for (const text of [own, old]) {
      expect(ownText(text.replace('\f', '\f\f'))).toBeUndefined();
      expect(ownText(text.replace(/\f[^\f]*/, ''))).toBeUndefined();
      expect(ownText(`${text}\t`)).toBeUndefined();
    }
    expect(ownText(own.replace(`\t${LINE_FORMAT}\t`, '\t99\t'))).toBeUndefined();
  });
});

describe('the journal of a killed 0.1.0', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dargah-old-journal-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is recovered beside lines of this build: charges, what was posted, and what was running', async () => {
    const old = (text: string) => lineAs(text, OF_0_1_0);
    const first = [
      writeLine('O', old(encodeRecord(startRecord('r1')))),
      writeLine('C', old(encodeRecord(record('r1')))),
      writeLine('C', old(encodeRecord(record('r2')))),
      writeLine('O', old(encodeRecord(startRecord('r3')))),
      writeLine('P', '1 1'),
    ];
    await writeFile(join(folder, '00000001.journal'), Buffer.concat(first));
    await writeFile(join(folder, '00000002.journal'), writeLine('C', encodeRecord(record('r4'))));
    const { records, killed, damaged } = await recoverJournal(folder);
    expect({ killed, damaged }).toEqual({ killed: 1, damaged: 0 });
    const texts = records.map(({ text }) => text);
    expect(texts.slice(0, 2)).toEqual([encodeRecord(record('r2')), encodeRecord(record('r4'))]);
    expect(decodeRecord(texts[2] ?? '')).toMatchObject({ id: 'r3', state: 'interrupted', cost: 0n });
  });
});
