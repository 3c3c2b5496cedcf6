/** `svc`, the service's own extension: the same in every client language, in requests and in answers. */
import type { RoutingPreferences, ServiceExtension } from '../core/chat.ts';
import type { JsonObject } from '../core/json.ts';
import type { Closing, Reference } from './protocol.ts';
import { type Field, optional, readNumber, readObject, readOneOf, readStrings } from './read-fields.ts';

const readSort = readOneOf(['price', 'latency'] as const);
const readPrice = readNumber(0, Number.MAX_SAFE_INTEGER);

export function decodeServiceExtension(value: Field): ServiceExtension {
  const svc = optional(value, 'svc', readObject);
  if (!svc) return { knowledgeBaseIds: [] };
  const knowledgeBaseIds = optional(svc['knowledge_base_ids'], 'svc.knowledge_base_ids', readStrings) ?? [];
  const routing = optional(svc['routing'], 'svc.routing', decodeRouting);
  return { knowledgeBaseIds: [...new Set(knowledgeBaseIds)], ...(routing && { routing }) };
}

function decodeRouting(value: Field, param: string): RoutingPreferences {
  const wire = readObject(value, param);
  const only = optional(wire['only'], `${param}.only`, readStrings);
  const ignore = optional(wire['ignore'], `${param}.ignore`, readStrings);
  const order = optional(wire['order'], `${param}.order`, readStrings);
  const sort = optional(wire['sort'], `${param}.sort`, readSort);
  const maxPrice = optional(wire['max_price'], `${param}.max_price`, decodeMaxPrice);
  const models = optional(wire['models'], `${param}.models`, readStrings);
  return {
    ...(only && { only }),
    ...(ignore && { ignore }),
    ...(order && { order }),
    ...(sort && { sort }),
    ...(maxPrice && { maxPrice }),
    ...(models && { models }),
  };
}

function decodeMaxPrice(value: Field, param: string): { input?: number; output?: number } {
  const wire = readObject(value, param);
  const input = optional(wire['input'], `${param}.input`, readPrice);
  const output = optional(wire['output'], `${param}.output`, readPrice);
  return { ...(input !== undefined && { input }), ...(output !== undefined && { output }) };
}

/** The `svc` object of an answer; undefined when there is nothing to say. */
export function encodeServiceExtension({ references, notes }: Closing): JsonObject | undefined {
  if (!references?.length && !notes?.length) return undefined;
  return {
    ...(references?.length && { references: references.map(encodeReference) }),
    ...(notes?.length && { notes }),
  };
}

function encodeReference(reference: Reference): JsonObject {
  const { index, knowledgeBaseId, documentId, title, page, heading, excerpt, score } = reference;
  return {
    index,
    knowledge_base_id: knowledgeBaseId,
    document_id: documentId,
    title,
    ...(page !== undefined && { page }),
    ...(heading !== undefined && { heading }),
    excerpt,
    score,
  };
}
