/**
 * Reads the exchange rate from an address. One replica at a time reads it; a rate outside the bounds is rejected. When
 * it cannot be read for too long, staff are told and the last rate stays; a setting can instead stop offering the
 * models that are priced by it.
 */

import { HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { parseTrustedJson } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { type SafeFetch, SafeFetchError } from '../../platform/upstream/index.ts';
import { type AdminTools, change } from '../admin/change.ts';
import type { PricingAdmin } from '../admin/pricing.ts';
import { catalogReasons } from '../reasons.ts';
import { judgeRate, type ReadRate, readRate } from './read-rate.ts';
import type { RateSourceRow, RateSourceSettings } from './term-rows.ts';
import * as rows from './term-rows.ts';
import { isDecimalText } from './toman-price.ts';

interface RateSourceView extends RateSourceSettings {
  tried_at: string | null;
  ok_at: string | null;
  rate: string | null;
  problem: string | null;
  stale: boolean;
}

export interface RateSource {
  view(): Promise<RateSourceView | null>;
  set(settings: RateSourceSettings, actor: string): Promise<RateSourceView>;
  remove(actor: string): Promise<void>;
  /** Reads now, without waiting until the next reading is due. */
  fetchNow(): Promise<RateSourceView>;
  /** Called at intervals, on every replica. */
  tick(): Promise<void>;
}

export interface RateSourceOptions {
  tools: AdminTools;
  pricing: PricingAdmin;
  fetchAddress: SafeFetch;
  /** Longest wait for an answer; ten seconds unless told. */
  fetchMs?: number;
  /** The file fixes the rate, so none may be read from elsewhere. */
  fixedByFile: boolean;
  /** Called repeatedly while the rate is stale; `since` stays the same. */
  onStale(stale: { since: Date; problem: string | null; url: string }): Promise<void>;
}

const MAX_BYTES = 256 * 1024;
const FETCH_MS = 10_000;
const MAX_STALE_HOURS = 8_760;
const ACTOR = 'rate-source';

export function createRateSource(options: RateSourceOptions): RateSource {
  const { tools, pricing, fetchAddress, fixedByFile, onStale, fetchMs = FETCH_MS } = options;
  const { db, clock } = tools;
  const find = () => rows.RATE_SOURCE.first(db);
  const viewOf = (row: RateSourceRow): RateSourceView => ({
    ...row,
    tried_at: row.tried_at?.toISOString() ?? null,
    ok_at: row.rate === null ? null : row.ok_at.toISOString(),
    stale: isStale(row, clock.now()),
  });

  /** Applies a reading; one that fails or is not plausible leaves the last rate in force. */
  async function take(row: RateSourceRow): Promise<void> {
    const inForce = (await pricing.terms()).exchangeRate;
    const read = await readFrom(row, (url) => fetchAddress(url, { maxBytes: MAX_BYTES, totalMs: fetchMs }));
    const problem = 'problem' in read ? read.problem : judgeRate(read.rate, inForce, boundsOf(row));
    if ('rate' in read && problem === undefined && read.rate !== inForce)
      await pricing.change({ exchangeRate: read.rate, origin: row.url }, ACTOR);
    const now = new Date(clock.now());
    const accepted = 'rate' in read && problem === undefined ? read.rate : null;
    await db.transaction(async (tx) => {
      await rows.NOTE_RATE_READING.run(tx, [now, problem?.slice(0, 500) ?? null, accepted, row.url]);
      // Catalogs are rebuilt, because they know when models priced by a stale rate are no longer offered.
      if (row.stop_when_stale && accepted !== null) await db.publish(tx, 'catalog', '');
    });
  }

  return {
    async view() {
      const row = await find();
      return row ? viewOf(row) : null;
    },
    async set(settings, actor) {
      if (fixedByFile) throw new GatewayError('conflict', { reason: catalogReasons.rateSetInFile });
      check(settings);
      const { url } = settings;
      await change(tools, { actor, action: 'rate-source.set', subject: url, detail: { ...settings } }, (tx, now) =>
        write(tx, settings, now),
      );
      return viewOf((await find()) ?? missing());
    },
    async remove(actor) {
      await change(tools, { actor, action: 'rate-source.remove', subject: 'rate-source' }, (tx) =>
        rows.DELETE_RATE_SOURCE.run(tx),
      );
    },
    async fetchNow() {
      const row = await find();
      await take(row ?? missing());
      return viewOf((await find()) ?? missing());
    },
    async tick() {
      const now = new Date(clock.now());
      // The replica that moves the due date first reads.
      const mine = await rows.TAKE_DUE_RATE_SOURCE.first(db, [now]);
      if (mine) await take(mine);
      const row = mine ? await find() : undefined;
      if (row && isStale(row, clock.now())) await onStale({ since: row.ok_at, problem: row.problem, url: row.url });
    },
  };
}

function isStale({ ok_at: okAt, stale_hours: hours }: RateSourceRow, nowMs: number): boolean {
  return nowMs >= okAt.getTime() + hours * HOUR_MS;
}

function boundsOf({ least, most, most_change_percent: maxChangePercent }: RateSourceSettings) {
  return { least, most, maxChangePercent };
}

async function readFrom(
  { url, field, unit }: RateSourceSettings,
  fetchAddress: (url: string) => ReturnType<SafeFetch>,
): Promise<ReadRate> {
  try {
    const { bytes } = await fetchAddress(url);
    const document = parseTrustedJson(new TextDecoder().decode(bytes));
    return document === undefined ? { problem: 'the answer is not JSON' } : readRate(document, field, unit);
  } catch (error) {
    if (error instanceof SafeFetchError) return { problem: `${error.reason}: ${error.message}` };
    throw error;
  }
}

/** Writes a source anew, so that its whole time until it is stale begins again. */
async function write(tx: Queryable, input: RateSourceSettings, now: Date): Promise<void> {
  await rows.DELETE_RATE_SOURCE.run(tx);
  await rows.INSERT_RATE_SOURCE.run(tx, [
    input.url,
    input.field,
    input.unit,
    input.every_minutes,
    input.least,
    input.most,
    input.most_change_percent,
    input.stale_hours,
    input.stop_when_stale,
    now,
  ]);
}

function check({ url, field, least, most, every_minutes: every, stale_hours: hours }: RateSourceSettings): void {
  if (!URL.canParse(url)) throw invalidRequest('url', reasons.mustBe('url', expected.httpsAddress));
  if (!/^(\/[^/]{1,100}){0,10}$/.test(field))
    throw invalidRequest('field', reasons.mustBe('field', expected.shapedAs('/data/usd/price')));
  for (const [name, text] of Object.entries({ least, most }))
    if (!isDecimalText(text) || Number(text) < 1)
      throw invalidRequest(name, reasons.mustBe(name, expected.between(1, 1_000_000_000)));
  if (Number(least) > Number(most)) throw invalidRequest('least', reasons.mustBe('least', expected.between(1, most)));
  if (hours * HOUR_MS < 2 * every * MINUTE_MS)
    throw invalidRequest(
      'stale_hours',
      reasons.mustBe('stale_hours', expected.between(Math.ceil((2 * every) / 60), MAX_STALE_HOURS)),
    );
}

/** Throws when no source was ever set, or somebody removed it meanwhile. */
function missing(): never {
  throw new GatewayError('not_found');
}
