/** Lists of models and prices from an address or a document: fetched, checked, previewed, applied; the shipped one is the default. */
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { makeId } from '../../core/ids.ts';
import { type Json, type JsonObject, parseTrustedJson } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { type SafeFetch, SafeFetchError } from '../../platform/upstream/index.ts';
import type { ListedModel } from '../listed-model.ts';
import { listedModels } from '../listed-models.ts';
import { compareLists, type ListComparison, listInForce, readPriceList } from '../price-list.ts';
import { type DatedSources, lockSeeding, seedWithin } from '../seed.ts';
import { type AdminTools, change, notFound, readBody } from './change.ts';

export interface ListAdmin {
  /** Fetches and checks a list; nothing of the catalog changes. */
  propose(given: { url?: string | undefined; document?: Json | undefined }, actor: string): Promise<JsonObject>;
  list(): Promise<JsonObject[]>;
  /** `insist`: also with doubts. */
  apply(id: string, insist: boolean, actor: string): Promise<JsonObject>;
  /** Back to the list we bring along. */
  useShipped(actor: string): Promise<JsonObject>;
}

export interface ListAdminOptions {
  tools: AdminTools;
  dated: DatedSources;
  fetchAddress: SafeFetch;
  /** Told after it is in force. */
  onApplied(news: { added: string[]; withdrawn: string[] }, actor: string): Promise<void>;
}

const FETCH_LIMITS = { maxBytes: 8 * 1024 * 1024, totalMs: 20_000 };
const SHOWN = 20;
const KEPT = 20;

interface ListRow {
  id: string;
  origin: string;
  state: string;
  models: ListedModel[];
  created_at: Date;
  applied_at: Date | null;
}

export function createListAdmin({ tools, dated, fetchAddress, onApplied }: ListAdminOptions): ListAdmin {
  const { db } = tools;
  const present = async (from: Queryable) => (await listInForce(from)) ?? listedModels();

  /** Whatever stood before, `next` stands from now on. */
  async function switchTo(tx: Queryable, now: Date, id: string | undefined): Promise<number> {
    await tx.query(`update price_list set state = 'replaced' where state = 'applied'`);
    if (id !== undefined)
      await tx.query(`update price_list set state = 'applied', applied_at = $2 where id = $1`, [id, now]);
    return (await seedWithin(tx, tools, dated, true)).newPrices;
  }

  return {
    async propose({ url, document }, actor) {
      const given = url === undefined ? document : await fetchList(url, fetchAddress);
      if (given === undefined)
        throw invalidRequest('url', reasons.custom('نشانی یا خودِ فهرست لازم است.', 'Give an address or a document.'));
      const models = readBody(given, readPriceList);
      const origin = url ?? 'document';
      const detail = { origin, models: models.length };
      return change(tools, { actor, action: 'price-list.propose', subject: origin, detail }, async (tx, now) => {
        const id = makeId('list', now.getTime(), tools.randomBytes);
        await tx.query(
          `insert into price_list (id, origin, state, models, created_at) values ($1, $2, 'proposed', $3::jsonb, $4)`,
          [id, origin, JSON.stringify(models), now],
        );
        await tx.query(
          `delete from price_list where state <> 'applied' and id not in (select id from price_list order by seq desc limit ${KEPT})`,
        );
        const row: ListRow = { id, origin, state: 'proposed', models, created_at: now, applied_at: null };
        return listView(row, compareLists(await present(tx), models));
      });
    },
    async list() {
      const rows = await db.query<ListRow>(
        `select id, origin, state, models, created_at, applied_at from price_list order by seq desc limit ${SHOWN}`,
      );
      const now = await present(db);
      return rows.map((row) => listView(row, compareLists(now, row.models)));
    },
    async apply(id, insist, actor) {
      const done = await change(tools, { actor, action: 'price-list.apply', subject: id }, async (tx, now) => {
        await lockSeeding(tx);
        const [row] = await tx.query<ListRow>(
          'select id, origin, state, models, created_at, applied_at from price_list where id = $1 for update',
          [id],
        );
        if (!row) throw notFound('price list', id);
        const comparison = compareLists(await present(tx), row.models);
        if (comparison.doubts.length > 0 && !insist) throw doubtful(comparison.doubts);
        const newPrices = await switchTo(tx, now, id);
        return { row: { ...row, state: 'applied', applied_at: now }, comparison, newPrices };
      });
      await onApplied(done.comparison, actor);
      return { ...listView(done.row, done.comparison), new_prices: done.newPrices };
    },
    async useShipped(actor) {
      const done = await change(tools, { actor, action: 'price-list.shipped', subject: 'catalog' }, async (tx, now) => {
        await lockSeeding(tx);
        const comparison = compareLists(await present(tx), listedModels());
        return { comparison, newPrices: await switchTo(tx, now, undefined) };
      });
      await onApplied(done.comparison, actor);
      return { new_prices: done.newPrices };
    },
  };
}

async function fetchList(url: string, fetchAddress: SafeFetch): Promise<Json> {
  try {
    const { bytes } = await fetchAddress(url, FETCH_LIMITS);
    const document = parseTrustedJson(new TextDecoder().decode(bytes));
    if (document !== undefined) return document;
    throw invalidRequest(
      'url',
      reasons.custom('پاسخ این نشانی یک سند JSON نیست.', 'The address does not answer JSON.'),
    );
  } catch (error) {
    if (!(error instanceof SafeFetchError)) throw error;
    const reason = reasons.custom('این نشانی خوانده نشد.', `The address could not be read: ${error.message}.`);
    throw invalidRequest('url', reason);
  }
}

function doubtful(doubts: string[]): GatewayError {
  return new GatewayError('conflict', {
    reason: reasons.custom(
      'این فهرست بیش از اندازه تغییر می‌دهد؛ اگر درست است آن را با پافشاری به کار ببندید.',
      `This list changes more than is usual (${doubts[0]}); if it is right, insist on it.`,
    ),
    detail: { doubts },
  });
}

function listView({ id, origin, state, models, created_at, applied_at }: ListRow, found: ListComparison): JsonObject {
  return {
    object: 'price_list',
    id,
    origin,
    state,
    models: models.length,
    added: found.added,
    withdrawn: found.withdrawn,
    changed: found.changed.map((one) => ({ ...one, old: { ...one.old } as Json, new: { ...one.new } as Json })),
    doubts: found.doubts,
    created_at: created_at.toISOString(),
    applied_at: applied_at?.toISOString() ?? null,
  };
}
