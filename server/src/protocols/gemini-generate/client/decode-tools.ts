/** `tools` and `toolConfig` of a request. */
import type { Tool, ToolChoice } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import type { DecodedTools } from '../../hosted-tools.ts';
import { asName, asObject, asString, fieldsBeside, namesUpTo, oneOf, optional } from '../../read-fields.ts';
import { protocolReasons } from '../../reasons.ts';
import { MAX_ITEMS, MAX_NAME } from '../bounds.ts';
import { keep } from '../own-fields.ts';
import { toPlainSchema } from './plain-schema.ts';
import { asItems, wireFields } from './wire-names.ts';

/** An entry of the list may contain both functions and tools that Google runs. */
export function decodeTools(value: Json | undefined): DecodedTools {
  const decoded: DecodedTools = { tools: [], hosted: [] };
  for (const [index, item] of asItems(value ?? [], 'tools').entries()) {
    const at = `tools.${index}`;
    const { functionDeclarations, ...hosted } = wireFields(asObject(item, at));
    const declared = optional(functionDeclarations, `${at}.functionDeclarations`, asItems);
    for (const [place, tool] of (declared ?? []).entries())
      decoded.tools.push(decodeFunction(tool, `${at}.functionDeclarations.${place}`));
    // SDKs write what they leave out as null.
    const asked = Object.keys(hosted).filter((name) => hosted[name] !== null && hosted[name] !== undefined);
    for (const name of asked) decoded.hosted.push({ index, tool: { [name]: hosted[name] } });
  }
  return decoded;
}

const MODELLED = new Set(['name', 'description', 'parameters', 'parametersJsonSchema']);

function decodeFunction(value: Json, at: string): Tool {
  const tool = wireFields(asObject(value, at));
  const description = optional(tool['description'], `${at}.description`, asString);
  const plain = optional(tool['parametersJsonSchema'], `${at}.parametersJsonSchema`, asObject);
  const subset = plain ? undefined : optional(tool['parameters'], `${at}.parameters`, asObject);
  const parameters = plain ?? (subset && toPlainSchema(subset));
  return {
    kind: 'function',
    name: asName(tool['name'], `${at}.name`, MAX_NAME),
    ...(description !== undefined && { description }),
    ...(parameters && { parameters }),
    ...keep(fieldsBeside(tool, MODELLED)),
  };
}

const AT = 'toolConfig.functionCallingConfig';
const readMode = oneOf(['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED']);
const readNames = namesUpTo(MAX_ITEMS, MAX_NAME);

export function decodeToolChoice(value: Json | undefined, tools: readonly Tool[]): { toolChoice?: ToolChoice } {
  const config = wireFields(optional(value, 'toolConfig', asObject) ?? {});
  const calling = optional(config['functionCallingConfig'], AT, asObject);
  if (!calling) return {};
  const toolChoice = choiceOf(wireFields(calling));
  if (!toolChoice) return {};
  if (tools.length === 0) {
    if (toolChoice.kind === 'auto' || toolChoice.kind === 'none') return {};
    throw invalidRequest(AT, protocolReasons.noToolsToChoose);
  }
  const named = toolChoice.kind === 'tool' ? [toolChoice.name] : toolChoice.kind === 'allowed' ? toolChoice.names : [];
  const unknown = named.find((name) => !tools.some((tool) => tool.name === name));
  if (unknown !== undefined) throw invalidRequest(`${AT}.allowedFunctionNames`, protocolReasons.unknownTool(unknown));
  return { toolChoice };
}

function choiceOf(calling: JsonObject): ToolChoice | undefined {
  const mode = optional(calling['mode'] || undefined, `${AT}.mode`, (value, param) =>
    readMode(asString(value, param).toUpperCase(), param),
  );
  const names = optional(calling['allowedFunctionNames'], `${AT}.allowedFunctionNames`, readNames) ?? [];
  switch (mode) {
    case 'NONE':
      return { kind: 'none' };
    case 'ANY':
      if (names.length === 0) return { kind: 'required' };
      if (names.length === 1) return { kind: 'tool', name: names[0] as string };
      return { kind: 'allowed', mode: 'required', names };
    case 'AUTO':
    case 'VALIDATED':
      return names.length > 0 ? { kind: 'allowed', mode: 'auto', names } : { kind: 'auto' };
    default:
      return undefined;
  }
}
