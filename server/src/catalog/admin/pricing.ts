/**
 * The exchange rate and the margins, global, per vendor and per model: read, tried out, changed now or for a date,
 * withdrawn.
 */

import { type GatewayError, invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import type { JsonObject } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import { difference } from '../../platform/audit-log.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { judgePrice } from '../prices/price-bounds.ts';
import { listInForce } from '../prices/price-list.ts';
import { currentPrices } from '../prices/price-rows.ts';
import {
  type FileTerms,
  insertTerms,
  type MarginLayer,
  type NewTerm,
  readTerms,
  termsAt,
  tracedTerms,
} from '../prices/pricing-terms.ts';
import { type TermRow, WITHDRAW_TERM } from '../prices/term-rows.ts';
import { type ExchangeTerms, isDecimalText } from '../prices/toman-price.ts';
import { catalogReasons } from '../reasons.ts';
import type { ListedModel } from '../seed/listed-model.ts';
import { listedModels } from '../seed/listed-models.ts';
import {
  type DatedSources,
  desiredOverTime,
  lockSeeding,
  type SeedResult,
  seedWithin,
  withLists,
} from '../seed/seed.ts';
import { planPrices, readStandingPrices } from '../seed/seed-prices.ts';
import { type AdminTools, change, conflict, notFound } from './change.ts';
import { readFuture } from './prices.ts';
import {
  accountChangeView,
  changeView,
  type PriceChangeView,
  type PricingView,
  pricingView,
  type TermView,
  termsWithSources,
  termView,
} from './pricing-views.ts';

export interface PricingChange {
  /** Toman per USD, decimal text. */
  exchangeRate?: string | undefined;
  margins?: MarginChange[] | undefined;
  /** ISO time in the future; at once when absent. */
  effectiveAt?: string | undefined;
  /** 'hand' unless a program read it from an address. */
  origin?: string;
}

export interface MarginChange {
  layer: MarginLayer;
  /** Vendor or model; absent for the global layer. */
  subject?: string | undefined;
  /** Null removes the margin of this layer. */
  margin: string | null;
}

export interface PricingPreview {
  object: 'pricing_preview';
  effective_at: string;
  models: number;
  changes: PriceChangeView[];
  /** Prices that were set by hand, which stay as they are. */
  pinned: PriceChangeView[];
}

export interface PricingAdmin {
  view(): Promise<PricingView>;
  /** Every model whose price would change, with the price before and after. Nothing is written. */
  preview(wanted: PricingChange): Promise<PricingPreview>;
  /**
   * What an account pays at its present margin and would pay at another; null stands for the margins of model, vendor
   * and all.
   */
  previewAccount(before: string | null, margin: string | null): Promise<PricingPreview>;
  change(wanted: PricingChange, actor: string): Promise<SeedResult>;
  /** Withdraws an announced rate or margin; the prices announced by it do not come into force. */
  withdraw(id: string, actor: string): Promise<TermView>;
  /** The rate and the global margin in force, and the source of each: the file, the database or our defaults. */
  terms(): Promise<ExchangeTerms & { sources: { exchange_rate: string; margin: string } }>;
}

const MAX_MARGINS = 500;

export function createPricingAdmin(tools: AdminTools, dated: DatedSources): PricingAdmin {
  const { db, clock } = tools;
  const { file } = dated;
  const listed = async () => (await listInForce(db, clock.now())) ?? listedModels();
  return {
    view: async () => pricingView(await readTerms(db, clock.now()), clock.now(), dated),
    async preview(wanted) {
      const now = new Date(clock.now());
      const at = effectiveAtOf(wanted, now);
      const terms = asRows(newTerms(wanted, file, await listed()), at);
      return previewOf(db, await withLists(dated, db, now.getTime()), terms, { now, at });
    },
    async previewAccount(before, margin) {
      checkMargin(margin, 'margin');
      const now = clock.now();
      const rows = (await currentPrices(db, now)).filter(({ list, exchange_rate: rate }) => list && rate);
      const changes = rows.map((row) => accountChangeView(row, before, margin));
      return {
        object: 'pricing_preview',
        effective_at: new Date(now).toISOString(),
        models: rows.length,
        changes: changes.filter(({ change_percent: change }) => change !== 0),
        pinned: [],
      };
    },
    async change(wanted, actor) {
      const terms = newTerms(wanted, file, await listed());
      const detail: JsonObject = {
        ...(wanted.exchangeRate !== undefined && { exchange_rate: wanted.exchangeRate }),
        ...(wanted.margins && { margins: wanted.margins.map((one) => ({ ...one, subject: one.subject ?? null })) }),
        effective_at: wanted.effectiveAt ?? null,
      };
      return change(tools, { actor, action: 'pricing.change', subject: 'catalog', detail }, async (tx, now, note) => {
        await lockSeeding(tx);
        const at = effectiveAtOf(wanted, now);
        const traced = async () =>
          tracedTerms(termsAt(await readTerms(tx, now.getTime()), at.getTime(), file, dated.sources.terms));
        const before = await traced();
        await insertTerms(tx, terms, at, now, tools.randomBytes);
        note(difference(before, await traced()));
        await refuseAbsurdPrices(tx, dated, now.getTime());
        return seedWithin(tx, tools, dated, true);
      });
    },
    withdraw: (id, actor) =>
      change(tools, { actor, action: 'pricing.withdraw', subject: id }, async (tx, now) => {
        await lockSeeding(tx);
        const row = (await readTerms(tx, now.getTime())).find((one) => one.id === id);
        if (!row) throw notFound('pricing term', id);
        if (row.effective_at <= now) throw conflict(catalogReasons.alreadyInForce);
        await WITHDRAW_TERM.run(tx, [id, now]);
        await seedWithin(tx, tools, dated, true);
        return termView(row);
      }),
    terms: async () => termsWithSources(await readTerms(db, clock.now()), clock.now(), dated),
  };
}

async function previewOf(
  db: Queryable,
  dated: DatedSources,
  terms: TermRow[],
  { now, at }: { now: Date; at: Date },
): Promise<PricingPreview> {
  const nowMs = now.getTime();
  const rows = [...(await readTerms(db, nowMs)), ...terms].sort(
    (a, b) => a.effective_at.getTime() - b.effective_at.getTime(),
  );
  const { desired, later } = desiredOverTime(dated, rows, nowMs);
  const points = [{ atMs: nowMs, models: desired.models }, ...later];
  const { changes, pinned } = planPrices(await readStandingPrices(db, nowMs), points);
  return {
    object: 'pricing_preview',
    effective_at: at.toISOString(),
    models: desired.models.length,
    changes: changes.map(changeView),
    pinned: pinned.map(changeView),
  };
}

/** The same bounds as in the file: a rate of ten digits or a margin of a thousand percent is a typing error. */
function newTerms(
  { exchangeRate, margins = [], origin = 'hand' }: PricingChange,
  file: FileTerms,
  listed: readonly ListedModel[],
): NewTerm[] {
  const terms: NewTerm[] = [];
  if (exchangeRate !== undefined) {
    if (file.exchangeRate !== undefined) throw fixedByFile();
    if (!isDecimalText(exchangeRate) || Number(exchangeRate) < 1 || Number(exchangeRate) > 1_000_000_000)
      throw invalidRequest('exchange_rate', reasons.mustBe('exchange_rate', expected.between(1, 1_000_000_000)));
    terms.push({ kind: 'rate', layer: 'global', subject: '', value: exchangeRate, origin });
  }
  if (margins.length > MAX_MARGINS)
    throw invalidRequest('margins', reasons.mustBe('margins', expected.between(1, MAX_MARGINS)));
  margins.forEach((input, index) => {
    if (input.layer === 'global' && file.margin !== undefined) throw fixedByFile();
    terms.push(marginTerm(input, margins.length === 1 ? 'margin' : `margins.${index}`, origin, listed));
  });
  if (terms.length === 0) throw invalidRequest('body', catalogReasons.nothingToChange);
  return terms;
}

function marginTerm(
  { layer, subject = '', margin }: MarginChange,
  param: string,
  origin: string,
  listed: readonly ListedModel[],
): NewTerm {
  checkMargin(margin, param);
  if (margin === null && layer === 'global')
    throw invalidRequest(param, reasons.mustBe('margin', expected.between(0, 10)));
  const known = layer === 'global' ? subject === '' : listed.some(({ id }) => belongs(id, layer, subject));
  if (!known) throw invalidRequest(param, catalogReasons.unknownMarginSubject);
  return { kind: 'margin', layer, subject, value: margin, origin };
}

export function checkMargin(margin: string | null, param: string): void {
  if (margin !== null && (!isDecimalText(margin) || Number(margin) > 10))
    throw invalidRequest(param, reasons.mustBe('margin', expected.between(0, 10)));
}

function belongs(modelId: string, layer: MarginLayer, subject: string): boolean {
  return layer === 'model' ? modelId === subject : modelId.startsWith(`${subject}/`);
}

function fixedByFile(): GatewayError {
  return conflict(catalogReasons.termsSetInFile);
}

function effectiveAtOf({ effectiveAt }: PricingChange, now: Date): Date {
  return effectiveAt === undefined ? now : readFuture(effectiveAt, now);
}

function asRows(terms: NewTerm[], at: Date): TermRow[] {
  return terms.map((term) => ({ origin: 'hand', ...term, id: '', effective_at: at, created_at: at }));
}

/** Refuses a rate with a digit too many, which would make prices that no model has. */
async function refuseAbsurdPrices(tx: Queryable, dated: DatedSources, nowMs: number): Promise<void> {
  const { desired, later } = desiredOverTime(await withLists(dated, tx, nowMs), await readTerms(tx, nowMs), nowMs);
  for (const model of [desired.models, ...later.map(({ models }) => models)].flat()) {
    if (!model.basis) continue;
    const [error] = judgePrice(model.rates, model.kind).errors;
    if (error) throw invalidRequest('body', catalogReasons.priceOutOfBounds(model.id, error.message));
  }
}
