/** `svc`: the gateway's own extension of a request. It is the same in every client protocol. */
import { AUTO_PREFERENCES } from '@dargah/core/auto-router.ts';
import { type DataDemand, demands, isRegion, MAX_REGIONS, MAX_RETENTION_DAYS } from '@dargah/core/data-policy.ts';
import type { RoutingPreferences, ServiceExtension } from '../core/chat.ts';
import { invalidRequest } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { nearestName } from '../core/nearest-name.ts';
import { reasons } from '../core/reasons.ts';
import type { AnswerClosing, GuaranteeTold, Reference } from './protocol.ts';
import {
  asBoolean,
  asName,
  asObject,
  definedFields,
  integerBetween,
  namesUpTo,
  numberBetween,
  oneOf,
  optional,
  refuseParam,
} from './read-fields.ts';

/** Every base is searched within one request; more than this would answer neither fast nor well. */
const MAX_KNOWLEDGE_BASES = 32;
const MAX_ROUTING_NAMES = 32;
const MAX_NAME = 256;
const MAX_PRICE = 1e15;

/** More tags could not be told apart on a page, and each is stored with every request. */
const MAX_TAGS = 5;
const MAX_TAG = 64;

const readBases = namesUpTo(MAX_KNOWLEDGE_BASES, MAX_NAME);
const readNames = namesUpTo(MAX_ROUTING_NAMES, MAX_NAME);
/** Operators set a lower one. */
const MAX_RESUME_SECONDS = 86_400;
const readResume = integerBetween(0, MAX_RESUME_SECONDS);
const MAX_CACHE_SECONDS = 604_800;
const readCache = integerBetween(0, MAX_CACHE_SECONDS);
const readTags = namesUpTo(MAX_TAGS, MAX_TAG);
const TAG_NAME = { fa: 'نامی بدون «:»', en: 'a name without a colon' };
const readDebug = oneOf(['upstream']);
const readPrice = numberBetween(0, MAX_PRICE);

const FIELDS = [
  'knowledge_base_ids',
  'routing',
  'dry_run',
  'resume_seconds',
  'cache_seconds',
  'tags',
  'debug',
  'guarantee',
];
const ROUTING_FIELDS = ['only', 'ignore', 'order', 'sort', 'max_price', 'models', 'continue', 'data', 'auto'];
const PRICE_FIELDS = ['input', 'output'];
const AUTO_FIELDS = ['prefer', 'models'];
const DATA_FIELDS = ['no_training', 'max_retention_days', 'regions'];
const readDays = integerBetween(0, MAX_RETENTION_DAYS);
const readRegions = namesUpTo(MAX_REGIONS, 2);
const REGION = { fa: 'دو حرف کوچک لاتین مانند «de» یا «eu»', en: 'two small letters such as de or eu' };

/** These fields are ours alone: an unknown one is a mistake and is refused, because it would be ignored silently. */
function refuseUnknown(object: JsonObject, param: string, known: readonly string[]): void {
  for (const name in object) {
    if (known.includes(name)) continue;
    const field = `${param}.${name.slice(0, MAX_NAME)}`;
    const near = nearestName(name.slice(0, MAX_NAME), known);
    throw invalidRequest(field, reasons.unknownField(field, near && `${param}.${near}`));
  }
}

export function decodeServiceExtension(value: Json | undefined): ServiceExtension {
  if (value === undefined || value === null) return { knowledgeBaseIds: [] };
  const svc = asObject(value, 'svc');
  refuseUnknown(svc, 'svc', FIELDS);
  const routing = optional(svc['routing'], 'svc.routing', decodeRouting);
  const resumeSeconds = optional(svc['resume_seconds'], 'svc.resume_seconds', readResume);
  const cacheSeconds = optional(svc['cache_seconds'], 'svc.cache_seconds', readCache);
  const tags = optional(svc['tags'], 'svc.tags', decodeTags);
  const debug = optional(svc['debug'], 'svc.debug', readDebug);
  const guarantee = optional(svc['guarantee'], 'svc.guarantee', asBoolean);
  const bases = optional(svc['knowledge_base_ids'], 'svc.knowledge_base_ids', readBases) ?? [];
  return {
    knowledgeBaseIds: [...new Set(bases)],
    ...(routing && { routing }),
    ...(resumeSeconds !== undefined && { resumeSeconds }),
    ...(cacheSeconds !== undefined && { cacheSeconds }),
    ...(debug !== undefined && { debug }),
    ...(guarantee !== undefined && { guarantee }),
    ...(tags !== undefined && tags.length > 0 && { tags }),
    ...(optional(svc['dry_run'], 'svc.dry_run', asBoolean) && { dryRun: true as const }),
  };
}

/** A list of names, or an object whose fields become `name:value`. Each counts once, in the order of their names, so that equal ones look equal. */
function decodeTags(value: Json, param: string): string[] {
  const tags = Array.isArray(value) ? readTags(value, param) : namedTags(asObject(value, param), param);
  return [...new Set(tags)].sort();
}

function namedTags(object: JsonObject, param: string): string[] {
  const names = Object.keys(object);
  if (names.length > MAX_TAGS) refuseParam(param, reasons.tooLong(param, MAX_TAGS));
  return names.map((name) => {
    const field = `${param}.${name.slice(0, MAX_TAG)}`;
    const [left, right] = [asName(name, field, MAX_TAG - 2), asName(object[name], field, MAX_TAG - 2)];
    // The first colon ends the name, so a name with one would be read as another.
    if (left.includes(':')) refuseParam(field, reasons.mustBe(field, TAG_NAME));
    return asName(`${left}:${right}`, field, MAX_TAG);
  });
}

function decodeRouting(value: Json, param: string): RoutingPreferences {
  const routing = asObject(value, param);
  refuseUnknown(routing, param, ROUTING_FIELDS);
  return definedFields<RoutingPreferences>({
    only: optional(routing['only'], `${param}.only`, readNames),
    ignore: optional(routing['ignore'], `${param}.ignore`, readNames),
    order: optional(routing['order'], `${param}.order`, readNames),
    sort: optional(routing['sort'], `${param}.sort`, oneOf(['price', 'latency'])),
    maxPrice: optional(routing['max_price'], `${param}.max_price`, decodeMaxPrice),
    models: optional(routing['models'], `${param}.models`, readNames),
    continue: optional(routing['continue'], `${param}.continue`, asBoolean),
    data: optional(routing['data'], `${param}.data`, decodeData),
    auto: optional(routing['auto'], `${param}.auto`, decodeAuto),
  });
}

function decodeAuto(value: Json, param: string): NonNullable<RoutingPreferences['auto']> {
  const auto = asObject(value, param);
  refuseUnknown(auto, param, AUTO_FIELDS);
  return definedFields<NonNullable<RoutingPreferences['auto']>>({
    prefer: optional(auto['prefer'], `${param}.prefer`, oneOf(AUTO_PREFERENCES)),
    models: optional(auto['models'], `${param}.models`, readNames),
  });
}

function decodeData(value: Json, param: string): DataDemand | undefined {
  const data = asObject(value, param);
  refuseUnknown(data, param, DATA_FIELDS);
  const regions = optional(data['regions'], `${param}.regions`, readRegions) ?? null;
  const wrong = regions?.findIndex((region) => !isRegion(region)) ?? -1;
  if (wrong >= 0) refuseParam(`${param}.regions.${wrong}`, reasons.mustBe(`${param}.regions.${wrong}`, REGION));
  const demand: DataDemand = {
    noTraining: optional(data['no_training'], `${param}.no_training`, asBoolean) ?? false,
    maxRetentionDays: optional(data['max_retention_days'], `${param}.max_retention_days`, readDays) ?? null,
    regions,
  };
  return demands(demand) ? demand : undefined;
}

function decodeMaxPrice(value: Json, param: string): { input?: number; output?: number } {
  const price = asObject(value, param);
  refuseUnknown(price, param, PRICE_FIELDS);
  return definedFields<{ input?: number; output?: number }>({
    input: optional(price['input'], `${param}.input`, readPrice),
    output: optional(price['output'], `${param}.output`, readPrice),
  });
}

/** What the service adds to an answer, as its `svc` object; undefined when there is nothing to add. */
export function encodeServiceExtension(closing: AnswerClosing): JsonObject | undefined {
  const { references, notes, upstream, guarantee } = closing;
  if (!references?.length && !notes?.length && !upstream && !guarantee) return undefined;
  return {
    ...(references?.length && { references: references.map(encodeReference) }),
    ...(notes?.length && { notes }),
    ...(upstream && { upstream }),
    ...(guarantee && encodeGuarantee(guarantee)),
  };
}

function encodeGuarantee({ state, repairs, fault, at, reason }: GuaranteeTold): JsonObject {
  return {
    ...(repairs.length > 0 && { repair: [...repairs] }),
    guarantee: {
      state,
      ...(fault !== undefined && { fault }),
      ...(at !== undefined && { at }),
      ...(reason !== undefined && { reason }),
      // It is booked a moment later, unless the account has used up its free answers of the day.
      ...(state === 'broken' && { credit: 'due' }),
    },
  };
}

function encodeReference(reference: Reference): JsonObject {
  const { index, knowledgeBaseId, documentId, title, place, page, heading, url, excerpt, score } = reference;
  return {
    index,
    knowledge_base_id: knowledgeBaseId,
    document_id: documentId,
    title,
    place,
    ...(page !== undefined && { page }),
    ...(heading !== undefined && { heading }),
    ...(url !== undefined && { url }),
    excerpt,
    score,
  };
}
