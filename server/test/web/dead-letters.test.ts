/** Charges that the database could never take, as the operator finds them on the page of the system. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeLine } from '../../src/ledger/journal-lines.ts';
import { encodeRecord } from '../../src/requestlog/index.ts';
import { record } from '../ledger/request-fixture.ts';
import { temporaryDataDirectory } from '../services/embedded-database.ts';
import { MAY_SKIP, openStage, type Stage, signInAsOperator } from './browser.ts';

let stage: Stage;

describe.skipIf(MAY_SKIP)('charges set aside', { timeout: 240_000 }, () => {
  beforeAll(async () => {
    const dataDir = await temporaryDataDirectory();
    mkdirSync(join(dataDir, 'journal'), { recursive: true });
    const lines = [
      '# 2026-11-15T09:00:00.000Z integer out of range\n',
      writeLine('C', encodeRecord(record('req_lost'))),
      '# 2026-11-15T10:00:00.000Z no such column\n',
      writeLine('C', 'req_older\t1794700000000\tof another build'),
    ];
    writeFileSync(join(dataDir, 'journal', 'rejected.lines'), Buffer.concat(lines.map((line) => Buffer.from(line))));
    stage = await openStage({ dataDir });
  }, 300_000);
  afterAll(() => stage?.stop());

  it('are counted, and listed with their time and what the database said', async () => {
    const { gateway } = stage;
    expect(await (await gateway.admin('GET', '/metrics')).text()).toContain('dargah_charges_set_aside 2');
    const { page, faults } = await stage.open();
    await signInAsOperator(stage, page);
    await page.goto(`${gateway.origin}/operator/system`);
    await page.waitForSelector('tr:has-text("req_lost"):has-text("integer out of range")');
    await page.waitForSelector('tr:has-text("req_older"):has-text("no such column")');
    expect(faults).toEqual([]);
  });
});
