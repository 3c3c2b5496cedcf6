/**
 * `model: "auto"`: which of the operator's models answers. Fixed rules decide, and the receipt names every considered
 * model with its reason. Nothing here runs for a request that names a model.
 */
import { AUTO_MODEL, type AutoPreference, type AutoReason } from '@dargah/core/auto-router.ts';
import { isShownTo, type Model } from '../../catalog/index.ts';
import type { ChatRequest, RoutingPreferences } from '../../core/chat.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { unitPrice } from '../../core/price.ts';
import type { AutoTold } from '../../core/routing-told.ts';
import { checkRequestRules, type KeySnapshot, meetsData, permitsModel, permitsPrice } from '../../keys/index.ts';
import type { RequestNeeds } from '../../routing/index.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { gatewayReasons } from '../reasons.ts';
import { countInput } from './count-input.ts';
import { needsOf } from './request-needs.ts';
import { checkCapabilities, modelNotFound, pricedFor } from './resolve.ts';

/** The chosen model and its fallbacks: the hold must cover the most expensive of them. */
const MAX_CHOSEN = 3;

export interface AutoChoice {
  /** The first model answers, the others are its fallbacks. */
  models: Model[];
  told: AutoTold;
}

export function asksAuto({ model }: Pick<ChatRequest, 'model'>, { rules }: KeySnapshot): boolean {
  return (model ?? rules.defaultModel) === AUTO_MODEL;
}

/** Returns undefined for every request that names a model. */
export function autoOf(
  request: ChatRequest,
  key: KeySnapshot,
  gw: Gateway,
  metadata?: Pick<Call['metadata'], 'model'>,
): AutoChoice | undefined {
  if (!asksAuto(request, key)) return undefined;
  if (metadata) metadata.model = AUTO_MODEL;
  const choice = chooseModels(request, key, gw);
  checkRequestRules(key, request);
  return choice;
}

interface Looked {
  model: Model | undefined;
  id: string;
  /** The index in the operator's order: the best is 0. */
  rank: number;
  why: AutoReason | undefined;
}

function chooseModels(request: ChatRequest, key: KeySnapshot, gw: Gateway): AutoChoice {
  const { autoModels } = gw.settings;
  const catalog = gw.catalog.current();
  if (autoModels.length === 0) throw modelNotFound(AUTO_MODEL, key, catalog);
  const preferences = request.svc.routing;
  const prefer = preferences?.auto?.prefer ?? 'price';
  checkNames(preferences?.auto?.models, autoModels);
  const asked: AskedOfModels = { request, key, gw, needs: needsOf(request), tokens: tokensOf(request) };
  const looked = autoModels.map((id, rank): Looked => {
    const listed = catalog.models.get(id);
    const model = listed && pricedFor(listed, key);
    return { model, id, rank, why: model ? whyNot(model, asked) : 'not_offered' };
  });
  const order = orderOf(prefer, gw);
  const fitting = looked.filter(({ why }) => why === undefined).sort(order);
  const chosen = fitting.slice(0, MAX_CHOSEN);
  if (chosen.length === 0) throw nothingFits(looked);
  const left = looked.filter((one) => !fitting.includes(one));
  const candidates = [...fitting, ...left].map(({ id, why }, at) => ({
    model: id,
    reason: why ?? (at === 0 ? 'chosen' : at < MAX_CHOSEN ? 'next' : 'beyond'),
  }));
  return { models: chosen.flatMap(({ model }) => model ?? []), told: { prefer, candidates } };
}

interface AskedOfModels {
  request: ChatRequest;
  key: KeySnapshot;
  gw: Gateway;
  needs: RequestNeeds;
  tokens: number;
}

/** The first reason against a model. */
function whyNot(model: Model, { request, key, gw, needs, tokens }: AskedOfModels): AutoReason | undefined {
  const { groups } = gw.catalog.current();
  const preferences = request.svc.routing;
  if (model.kind !== 'chat' || !isShownTo(model, key.account.id)) return 'not_offered';
  const named = preferences?.auto?.models;
  if (named && !named.includes(model.id)) return 'not_named';
  if (!permitsModel(key, model.id, model.id, groups)) return 'not_allowed';
  if (!permitsPrice(key, model) || isAbovePrice(model, preferences)) return 'price';
  if (!meetsData(key, request, model)) return 'data';
  if (!canDo(request, model)) return 'capability';
  if (needs.always.length > 0 && model.routes.every(({ conformance }) => lacks(conformance, needs)))
    return 'not_proved';
  if (model.context !== undefined && tokens + (request.maxOutputTokens ?? 0) > model.context) return 'context';
  return undefined;
}

function lacks(conformance: Model['routes'][number]['conformance'], { always }: RequestNeeds): boolean {
  return always.some((probe) => conformance?.failed.has(probe));
}

function isAbovePrice({ price }: Model, preferences: RoutingPreferences | undefined): boolean {
  const { input, output } = preferences?.maxPrice ?? {};
  return (
    (input !== undefined && Number(unitPrice(price, 'inputFresh')) > input) ||
    (output !== undefined && Number(unitPrice(price, 'output')) > output)
  );
}

function canDo(request: ChatRequest, model: Model): boolean {
  try {
    checkCapabilities(request, model);
    return true;
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}

/**
 * A likely count, without texts that are still to be read: models that are far too small are left out, and the rest is
 * estimated as usual.
 */
function tokensOf(request: ChatRequest): number {
  return Math.floor(countInput(request).likely);
}

type Order = (a: Looked, b: Looked) => number;

/** The operator's order decides between equals, so that the same request finds the same model. */
function orderOf(prefer: AutoPreference, gw: Gateway): Order {
  const byRank: Order = (a, b) => a.rank - b.rank;
  if (prefer === 'quality') return byRank;
  const value = prefer === 'price' ? costOf : (model: Model) => gw.router.firstEventMs(model);
  const values = new Map<Looked, number>();
  const worthOf = (looked: Looked): number => {
    const known = values.get(looked) ?? (looked.model && value(looked.model)) ?? Number.MAX_SAFE_INTEGER;
    values.set(looked, known);
    return known;
  };
  return (a, b) => worthOf(a) - worthOf(b) || byRank(a, b);
}

/** A typical request has a few times more input than output; only the order matters. */
function costOf({ price }: Model): number {
  return Number(unitPrice(price, 'inputFresh')) * 3 + Number(unitPrice(price, 'output')) + Number(price.perRequest);
}

function checkNames(named: readonly string[] | undefined, known: readonly string[]): void {
  const wrong = named?.findIndex((name) => !known.includes(name)) ?? -1;
  if (wrong < 0) return;
  const param = `svc.routing.auto.models.${wrong}`;
  throw invalidRequest(param, gatewayReasons.notOfAuto(named?.[wrong] ?? ''));
}

function nothingFits(looked: readonly Looked[]): GatewayError {
  const detail = { candidates: looked.map(({ id, why }) => ({ model: id, reason: why ?? null })) };
  return invalidRequest('model', gatewayReasons.noAutoModel, { detail });
}
