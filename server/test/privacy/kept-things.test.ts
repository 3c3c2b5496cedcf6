/** The list of what is kept: it follows every setting, and names every table that holds something of customers. */
import { readdir, readFile } from 'node:fs/promises';
import { DAY_MS, HOUR_MS } from '@dargah/core/time-spans.ts';
import { describe, expect, it } from 'vitest';
import { type KeptTerms, keptThings, textsUntil, untilText } from '../../src/privacy/index.ts';

const TERMS: KeptTerms = {
  logRetentionDays: 90,
  promptLogMaxDays: 365,
  responseStoreKeepMs: 30 * DAY_MS,
  idempotencyKeepMs: 24 * HOUR_MS,
  idempotencyMaxAccountBytes: 1,
  resumeMaxSeconds: 600,
  cacheMaxSeconds: 86_400,
};

const told = (terms: KeptTerms, account?: Parameters<typeof keptThings>[1]) =>
  new Map(keptThings(terms, account).map(({ id, what, until }) => [id, `${untilText(until).en} | ${what.en}`]));

describe('each setting changes its rows and no other', () => {
  const CASES: [change: Partial<KeptTerms>, rows: string[], says: string][] = [
    [{ logRetentionDays: 7 }, ['requests'], '7 days'],
    [{ promptLogMaxDays: 3 }, ['texts'], 'Only if the account asks for it, 3 days at most'],
    [{ responseStoreKeepMs: 12 * HOUR_MS }, ['responses', 'conversations'], '12 hours after its last use'],
    [{ responseStoreKeepMs: 0 }, ['responses', 'conversations'], 'Not kept'],
    [{ idempotencyKeepMs: 90_000 }, ['idempotent'], '90 seconds'],
    [{ resumeMaxSeconds: 60 }, ['frames'], 'Only if the account asks for it, 1 minute at most'],
    [{ resumeMaxSeconds: 0 }, ['frames'], 'Not kept'],
    [{ cacheMaxSeconds: 3_600 }, ['cached-answers'], 'Only if the account asks for it, 1 hour at most'],
    [{ cacheMaxSeconds: 0 }, ['cached-answers'], 'Not kept'],
    [{ idempotencyMaxAccountBytes: 0 }, ['idempotent'], 'the answer itself is not stored'],
  ];
  it.each(CASES)('%o', (change, rows, says) => {
    const [before, after] = [told(TERMS), told({ ...TERMS, ...change })];
    expect([...after.keys()].filter((id) => after.get(id) !== before.get(id))).toEqual(rows);
    for (const row of rows) expect(after.get(row)).toContain(says);
  });

  it('every term is among them', () => {
    expect(new Set(CASES.flatMap(([change]) => Object.keys(change)))).toEqual(new Set(Object.keys(TERMS)));
  });
});

describe('texts of an account', () => {
  it('are kept as it says, never longer than the operator allows', () => {
    const until = (logPrompts: { enabled: boolean; days: number } | null, max = 365) =>
      untilText(textsUntil(max, { logPrompts })).en;
    expect([until(null), until({ enabled: false, days: 7 })]).toEqual(['Not kept', 'Not kept']);
    expect([until({ enabled: true, days: 1 }), until({ enabled: true, days: 30 }, 10)]).toEqual(['1 day', '10 days']);
  });
});

it('the request log is kept for as long as its archive keeps it', () => {
  const until = (logArchiveDays?: number) =>
    keptThings({ ...TERMS, ...(logArchiveDays && { logArchiveDays }) }).find(({ id }) => id === 'requests')?.until;
  expect([until(), until(365), until(30)]).toEqual([90, 365, 90].map((days) => ({ by: 'age', ms: days * 86_400_000 })));
});

/** Tables that hold nothing of customers: the catalog, the operator's own settings and people, proofs and sums of the books. */
const NOT_OF_CUSTOMERS = `
  announcement books_rule catalog_change chart_cut_over conformance_history conformance_result conformance_run cost_clock cost_correction cost_correction_part group_model health_cause
  health_minute incident invoice_series ledger_clock ledger_day ledger_period ledger_seal log_archive_day message_carrier model model_group money_day
  money_model_day operator_token outage payment_gateway price price_list pricing_term probe_cost proof_run proof_state provider provider_bill
  provider_credential rate_source request_log_horizon route route_cost saved_view seal_progress setting settlement settlement_columns
  setup_evidence staff staff_alert staff_delivery staff_quiet staff_target uptime_hour walk_day`
  .trim()
  .split(/\s+/);

it('no table of the database is forgotten, and none is named that is not there', async () => {
  const folder = new URL('../../migrations/', import.meta.url);
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql'));
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')));
  const made = /create (?:unlogged )?table (?:if not exists )?([a-z_]+)/gi;
  const tables = new Set(texts.flatMap((text) => [...text.matchAll(made)].map(([, name]) => name)));
  const named = keptThings(TERMS).flatMap((thing) => thing.tables);
  expect([...tables].filter((name) => !named.includes(name ?? '') && !NOT_OF_CUSTOMERS.includes(name ?? ''))).toEqual(
    [],
  );
  expect([...named, ...NOT_OF_CUSTOMERS].filter((name) => !tables.has(name))).toEqual([]);
  expect(named.filter((name) => NOT_OF_CUSTOMERS.includes(name))).toEqual([]);
  expect(new Set(named).size).toBe(named.length);
});
