/**
 * What is promised of a chat's answer (ADR 0069): decided once, when the request is read, and only where the guarantee
 * is asked for.
 */
import type { ChatRequest, ProtocolId } from '../../core/chat.ts';
import type { JsonObject } from '../../core/json.ts';
import { acceptSchema } from '../../guarantee/index.ts';

/** Providers of these protocols enforce schemas without being told. */
const ALWAYS_STRICT: ReadonlySet<ProtocolId> = new Set(['anthropic-messages', 'gemini-generate']);

export interface Promised {
  /** The text must satisfy a schema. */
  text: PromisedSchema | undefined;
  /** Tools with a strict schema that the guarantee covers, by name; arguments of all others must only be JSON. */
  tools: ReadonlyMap<string, JsonObject>;
}

export interface PromisedSchema {
  /** Undefined when the guarantee does not cover the schema, and the text must only be JSON. */
  schema: JsonObject | undefined;
}

/** Returns undefined where nothing is promised; the request is then not changed. */
export function promisedOf(request: ChatRequest, protocol: ProtocolId, byRule: boolean): Promised | undefined {
  if (!(request.svc.guarantee ?? byRule)) return undefined;
  const text = promisedText(request, protocol);
  const tools = new Map<string, JsonObject>();
  for (const { name, parameters, strict } of request.tools)
    if (strict === true && parameters && acceptSchema(parameters)) tools.set(name, parameters);
  if (!text && !request.tools.some(({ kind }) => kind === 'function')) return undefined;
  request.heldBack = true;
  return { text, tools };
}

function promisedText(request: ChatRequest, protocol: ProtocolId): PromisedSchema | undefined {
  const { output } = request;
  if (output.kind !== 'json-schema' || !(output.strict ?? ALWAYS_STRICT.has(protocol))) return undefined;
  const accepted = acceptSchema(output.schema);
  // Providers of other protocols enforce it only where they are told to.
  if (accepted?.strictEverywhere && output.strict === undefined) request.output = { ...output, strict: true };
  return { schema: accepted && output.schema };
}

/** Whether a provider of this protocol was told to enforce the schema of the text. */
export function isTextEnforced({ output }: ChatRequest, protocol: ProtocolId): boolean {
  return output.kind === 'json-schema' && (output.strict === true || ALWAYS_STRICT.has(protocol));
}
