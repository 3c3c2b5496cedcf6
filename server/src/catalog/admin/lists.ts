/**
 * Lists of models and prices from an address or a document: fetched, checked, previewed, applied now or announced for a date;
 * the shipped one is the default.
 */
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { makeId } from '../../core/ids.ts';
import { type Json, parseTrustedJson } from '../../core/json.ts';
import { createChangeRecorder } from '../../platform/audit-log.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { type SafeFetch, SafeFetchError } from '../../platform/upstream/index.ts';
import { announcedLists, compareLists, type ListComparison, listInForce, readPriceList } from '../prices/price-list.ts';
import { catalogReasons } from '../reasons.ts';
import type { ListedModel } from '../seed/listed-model.ts';
import { listedModels } from '../seed/listed-models.ts';
import { type DatedSources, lockSeeding, seedWithin } from '../seed/seed.ts';
import { type AdminTools, change, conflict, notFound, readBody } from './change.ts';
import {
  announceList,
  dueLists,
  findList,
  insertList,
  type ListRow,
  lastApplied,
  newestLists,
  putIntoForce,
  unannounceList,
} from './list-rows.ts';
import { readFuture } from './prices.ts';

export interface ListAdmin {
  /** Fetches and checks a list without changing the catalog. */
  propose(input: ListInput, actor: string): Promise<ListView>;
  list(): Promise<ListView[]>;
  apply(id: string, how: ApplyList, actor: string): Promise<AppliedListView>;
  /** Withdraws an announced list; the prices announced by it do not come into force. */
  withdraw(id: string, actor: string): Promise<AppliedListView>;
  /**
   * Puts announced lists whose date has come into force: models appear and disappear, and costs follow. Called at
   * intervals.
   */
  follow(): Promise<void>;
  /** Returns to the shipped list. */
  useShipped(actor: string): Promise<{ new_prices: number }>;
}

interface ListInput {
  url?: string | undefined;
  document?: Json | undefined;
}

interface ApplyList {
  /** Applies the list although the check has doubts. */
  insist: boolean;
  /** ISO time in the future; at once when absent. */
  effectiveAt?: string | undefined;
}

export interface ListAdminOptions {
  tools: AdminTools;
  dated: DatedSources;
  fetchAddress: SafeFetch;
  /**
   * Called when a list has come into force, and for withdrawn models as soon as that is announced. `from` is the date.
   */
  onNews(news: ListNews, actor: string): Promise<void>;
}

export interface ListNews {
  added: string[];
  withdrawn: string[];
  from: Date;
}

const FETCH_LIMITS = { maxBytes: 8 * 1024 * 1024, totalMs: 20_000 };
const SHOWN = 20;
/** The actor in the audit log when an announced date, and no person, made the change. */
const BY_DATE = 'announced-list';

export function createListAdmin(options: ListAdminOptions): ListAdmin {
  const { tools } = options;
  return {
    propose: (input, actor) => propose(options, input, actor),
    async list() {
      const rows = await newestLists(tools.db, SHOWN);
      const now = await standingAt(tools, tools.db, tools.clock.now());
      return rows.map((row) => listView(row, compareLists(now, row.models)));
    },
    apply: (id, how, actor) => apply(options, id, how, actor),
    withdraw: (id, actor) => withdraw(options, id, actor),
    follow: () => follow(options),
    async useShipped(actor) {
      const step = { actor, action: 'price-list.shipped', subject: 'catalog' } as const;
      const { comparison, newPrices, from } = await change(tools, step, async (tx, now) => {
        await lockSeeding(tx);
        const found = compareLists(await standingAt(tools, tx, now.getTime()), listedModels());
        await putIntoForce(tx, undefined, now, now);
        return { comparison: found, newPrices: await priced(options, tx), from: now };
      });
      await options.onNews({ added: comparison.added, withdrawn: comparison.withdrawn, from }, actor);
      return { new_prices: newPrices };
    },
  };
}

async function propose(
  { tools, fetchAddress }: ListAdminOptions,
  { url, document }: ListInput,
  actor: string,
): Promise<ListView> {
  const input = url === undefined ? document : await fetchList(url, fetchAddress);
  if (input === undefined) throw invalidRequest('url', catalogReasons.listNeedsSource);
  const models = readBody(input, readPriceList);
  const origin = url ?? 'document';
  const detail = { origin, models: models.length };
  return change(tools, { actor, action: 'price-list.propose', subject: origin, detail }, async (tx, now) => {
    const id = makeId('list', now.getTime(), tools.randomBytes);
    const row = await insertList(tx, { id, origin, models, now });
    return listView(row, compareLists(await standingAt(tools, tx, now.getTime()), models));
  });
}

async function apply(
  options: ListAdminOptions,
  id: string,
  { insist, effectiveAt }: ApplyList,
  actor: string,
): Promise<AppliedListView> {
  const { tools } = options;
  const detail = { effective_at: effectiveAt ?? null, insist };
  const step = { actor, action: 'price-list.apply', subject: id, detail } as const;
  const { row, comparison, newPrices } = await change(tools, step, async (tx, now) => {
    await lockSeeding(tx);
    const found = (await findList(tx, id)) ?? missing(id);
    if (found.state === 'announced') throw announcedAlready();
    const from = effectiveAt === undefined ? now : readFuture(effectiveAt, now);
    const differs = compareLists(await standingAt(tools, tx, from.getTime()), found.models);
    if (differs.doubts.length > 0 && !insist) throw doubtful(differs.doubts);
    const isNow = from <= now;
    if (isNow) await putIntoForce(tx, id, now, now);
    else await announceList(tx, id, from);
    const state = isNow ? 'applied' : 'announced';
    const changed = { ...found, state, effective_at: from, applied_at: isNow ? now : null };
    return { row: changed, comparison: differs, newPrices: await priced(options, tx) };
  });
  // New models are announced when they can be used, so not for a list that is announced for later.
  const added = row.applied_at === null ? [] : comparison.added;
  await options.onNews({ added, withdrawn: comparison.withdrawn, from: row.effective_at }, actor);
  return { ...listView(row, comparison), new_prices: newPrices };
}

function withdraw(options: ListAdminOptions, id: string, actor: string): Promise<AppliedListView> {
  const { tools } = options;
  return change(tools, { actor, action: 'price-list.withdraw', subject: id }, async (tx, now) => {
    await lockSeeding(tx);
    const row = (await findList(tx, id)) ?? missing(id);
    if (row.state !== 'announced' || row.effective_at === null || row.effective_at <= now) throw notAnnounced();
    const withdrawn = await unannounceList(tx, row);
    const newPrices = await priced(options, tx);
    const comparison = compareLists(await standingAt(tools, tx, now.getTime()), row.models);
    return { ...listView(withdrawn, comparison), new_prices: newPrices };
  });
}

async function follow(options: ListAdminOptions): Promise<void> {
  const { tools, onNews } = options;
  const { db, clock } = tools;
  if ((await dueLists(db, clock.now())).length === 0) return;
  const record = createChangeRecorder(tools, 'catalog');
  const news = await db.transaction(async (tx) => {
    await lockSeeding(tx);
    // Another replica may have applied it since.
    const last = (await dueLists(tx, clock.now())).at(-1);
    if (!last) return undefined;
    const { added, withdrawn } = compareLists((await lastApplied(tx)) ?? listedModels(), last.models);
    const now = new Date(clock.now());
    const from = last.effective_at ?? now;
    await putIntoForce(tx, last.id, now, from);
    await priced(options, tx);
    await record(tx, BY_DATE, 'price-list.apply', last.id, { effective_at: from.toISOString() });
    return { added, withdrawn, from };
  });
  if (news) await onNews(news, BY_DATE);
}

/** The list that will be in force at a moment, according to what is announced now. */
async function standingAt({ clock }: AdminTools, db: Queryable, atMs: number): Promise<readonly ListedModel[]> {
  const next = (await announcedLists(db, clock.now())).findLast((list) => list.atMs <= atMs);
  return next?.models ?? (await listInForce(db, clock.now())) ?? listedModels();
}

async function priced({ tools, dated }: ListAdminOptions, tx: Queryable): Promise<number> {
  return (await seedWithin(tx, tools, dated, true)).newPrices;
}

async function fetchList(url: string, fetchAddress: SafeFetch): Promise<Json> {
  try {
    const { bytes } = await fetchAddress(url, FETCH_LIMITS);
    const document = parseTrustedJson(new TextDecoder().decode(bytes));
    if (document !== undefined) return document;
    throw invalidRequest('url', catalogReasons.addressAnswersNoJson);
  } catch (error) {
    if (!(error instanceof SafeFetchError)) throw error;
    const reason = catalogReasons.addressUnreadable(error.message);
    throw invalidRequest('url', reason);
  }
}

function doubtful(doubts: string[]): GatewayError {
  return new GatewayError('conflict', {
    reason: catalogReasons.listChangesMuch(doubts[0] ?? ''),
    detail: { doubts },
  });
}

const announcedAlready = () => conflict(catalogReasons.listAnnounced);
const notAnnounced = () => conflict(catalogReasons.listNotAnnounced);

function missing(id: string): never {
  throw notFound('price list', id);
}

type ListView = ReturnType<typeof listView>;
type AppliedListView = ListView & { new_prices: number };

function listView(row: ListRow, found: ListComparison) {
  const { id, origin, state, models, created_at, effective_at, applied_at } = row;
  return {
    object: 'price_list' as const,
    id,
    origin,
    state,
    models: models.length,
    added: found.added,
    withdrawn: found.withdrawn,
    changed: found.changed,
    doubts: found.doubts,
    created_at: created_at.toISOString(),
    effective_at: effective_at?.toISOString() ?? null,
    applied_at: applied_at?.toISOString() ?? null,
  };
}
