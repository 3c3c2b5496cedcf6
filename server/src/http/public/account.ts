/** What a key may look up: the models it may use, its own rules and limits, receipts of its account. */

import {
  cancelRequestStream,
  continueRequestStream,
  getCallingKey,
  getCredits,
  getModel,
  getReceipt,
  listModels,
  listPriceChanges,
} from '@dargah/api/public/account.ts';
import { AUTO_MODEL } from '@dargah/core/auto-router.ts';
import type { FastifyRequest } from 'fastify';
import { listView, modelView, type PriceChange, type PriceQuestion, publicPricing } from '../../catalog/index.ts';
import { GatewayError } from '../../core/errors.ts';
import { money, toTomanNumber } from '../../core/money.ts';
import {
  cancelStream,
  continueStream,
  type Gateway,
  keyView,
  lastEventIdOf,
  modelNotFound,
  walletBalance,
} from '../../gateway/index.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import { customerReceipt, type RequestLog, type UsageReports } from '../../requestlog/index.ts';
import { speaksGemini } from '../gemini-address.ts';
import { RawAnswer } from '../routes/handler-result.ts';
import type { KeyRoutes } from '../routes/key-routes.ts';
import { timeInput } from '../time-input.ts';
import { geminiModels } from './gemini-models.ts';
import { openrouterKey } from './openrouter-key.ts';
import { permittedAuto, permittedModels } from './permitted-models.ts';

/** A text that cannot be an id is not looked up: the database refuses some texts (NUL) with an error. */
const REQUEST_ID = /^[\w-]{1,64}$/;

const MAX_PRICES = 100;

export interface AccountSources {
  log: RequestLog;
  usage: Pick<UsageReports, 'charged' | 'chargedToKey'>;
  prices(question: PriceQuestion): Promise<PriceChange[]>;
}

export function account(routes: KeyRoutes, gw: Gateway, { log, usage, prices }: AccountSources): void {
  listedModels(routes, gw);
  routes.free(listPriceChanges, async ({ key, query }) => {
    const { model, since, limit = MAX_PRICES } = query;
    const models = permittedModels(key, gw).map(({ id }) => id);
    if (model !== undefined && !models.includes(model)) throw modelNotFound(model, key, gw.catalog.current());
    const { margin, calendar } = key.account;
    const sinceMs = timeInput(since, 'since', calendar.timeZone) ?? 0;
    const changes = await prices({ models: model === undefined ? models : [model], sinceMs, limit, margin });
    return {
      object: 'list',
      data: changes.map(({ modelId, fromMs, price }) => ({
        object: 'price' as const,
        model: modelId,
        from: new Date(fromMs).toISOString(),
        pricing: publicPricing(price),
      })),
    };
  });
  routes.free(getCallingKey, async ({ key }) => {
    const [view, charged] = await Promise.all([
      keyView(key, gw),
      usage.chargedToKey(key.account.id, key.id, gw.clock.now()),
    ]);
    return { ...view, data: openrouterKey(view, charged) };
  });
  routes.free(getCredits, async ({ key }) => {
    const [charged, balance] = await Promise.all([usage.charged(key.account.id), walletBalance(key, gw)]);
    const total = toTomanNumber(money(balance + charged));
    return { data: { total_credits: total, total_usage: toTomanNumber(charged) } };
  });
  const wasMade = async (id: string, key: KeySnapshot): Promise<boolean> =>
    REQUEST_ID.test(id) && (await log.find(id, key.account.id)) !== undefined;
  routes.free(continueRequestStream, async ({ key, params: { id }, call }) => {
    const after = lastEventIdOf(call.headers);
    const stream = { requestId: id, after, param: 'Last-Event-ID', wasMade: () => wasMade(id, key) };
    return new RawAnswer(await continueStream(stream, key, gw));
  });
  routes.free(cancelRequestStream, async ({ key, params: { id } }) => {
    if (!(await cancelStream(id, key.account.id, gw))) throw new GatewayError('not_found');
    return { id, object: 'request.stream' as const, cancelled: true };
  });
  routes.free(getReceipt, async ({ key, params: { id } }) => {
    const found = REQUEST_ID.test(id) ? await log.find(id, key.account.id) : undefined;
    // Another account's request looks exactly like one that never existed.
    if (!found) throw new GatewayError('not_found');
    return { ...customerReceipt(found, gw.settings.suppliersShown), ...(await log.guaranteeCredit(found)) };
  });
}

/** The SDK of Gemini for Python asks at these addresses too, and is answered in its own form. */
function listedModels(routes: KeyRoutes, gw: Gateway): void {
  const gemini = geminiModels(routes, gw);
  const isGemini = ({ url, headers }: FastifyRequest): boolean => speaksGemini(url, headers);
  routes.free(
    listModels,
    async ({ key, query: { offset = 0 } }) => {
      const permitted = permittedModels(key, gw);
      const auto = permittedAuto(permitted, gw);
      const models = auto ? [auto, ...permitted] : permitted;
      return { ...listView(models.slice(offset)), total_count: models.length };
    },
    { instead: (request) => (isGemini(request) ? gemini.list : undefined) },
  );
  routes.free(
    getModel,
    async ({ key, request }) => {
      // The router has decoded the id already; decoding it again would change ids that contain `%`.
      const { '*': id } = request.params as { '*': string };
      const permitted = permittedModels(key, gw);
      const model =
        id === AUTO_MODEL ? permittedAuto(permitted, gw) : permitted.find((candidate) => candidate.id === id);
      if (!model) throw modelNotFound(id, key, gw.catalog.current());
      return modelView(model);
    },
    { instead: (request) => (isGemini(request) ? gemini.one : undefined) },
  );
}
