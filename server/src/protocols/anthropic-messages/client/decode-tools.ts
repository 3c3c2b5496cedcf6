/** `tools` and `tool_choice` of a request. */

import type { ChatRequest, Tool } from '../../../core/chat.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import type { DecodedTools } from '../../hosted-tools.ts';
import { asArray, asBoolean, asName, asObject, asString, fieldsBeside, oneOf, optional } from '../../read-fields.ts';
import { MAX_ITEMS, MAX_NAME } from '../bounds.ts';
import { clientRunTool } from '../client-run-tools.ts';
import { keep } from '../own-fields.ts';
import { decodeCacheControl, modelledCache } from './decode-blocks.ts';

export function decodeTools(value: Json | undefined): DecodedTools {
  const decoded: DecodedTools = { tools: [], hosted: [] };
  for (const [index, item] of asArray(value ?? [], 'tools', MAX_ITEMS).entries()) {
    addTool(decoded, asObject(item, `tools.${index}`), index, `tools.${index}`);
  }
  return decoded;
}

export function addTool({ tools, hosted }: DecodedTools, tool: JsonObject, index: number, at: string): void {
  const type = optional(tool['type'], `${at}.type`, asString) ?? 'custom';
  if (type === 'custom') {
    tools.push(decodeTool(tool, at));
    return;
  }
  const known = clientRunTool(type);
  if (known) tools.push(decodeClientRun(tool, known, at));
  else hosted.push({ index, tool });
}

/** The tool goes as it came to a provider of this protocol, and as a function to every other. */
function decodeClientRun(tool: JsonObject, known: Pick<Tool, 'description' | 'parameters'>, at: string): Tool {
  const { description, parameters } = known;
  const name = asName(tool['name'], `${at}.name`, MAX_NAME);
  return {
    kind: 'function',
    name,
    ...(description !== undefined && { description }),
    ...(parameters && { parameters }),
    ...decodeCacheControl(tool),
    ...keep({ block: tool }),
  };
}

const MODELLED = ['type', 'name', 'description', 'input_schema', 'strict'];

function decodeTool(tool: JsonObject, at: string): Tool {
  const description = optional(tool['description'], `${at}.description`, asString);
  const strict = optional(tool['strict'], `${at}.strict`, asBoolean);
  return {
    kind: 'function',
    name: asName(tool['name'], `${at}.name`, MAX_NAME),
    ...(description !== undefined && { description }),
    parameters: asObject(tool['input_schema'], `${at}.input_schema`),
    ...(strict !== undefined && { strict }),
    ...decodeCacheControl(tool),
    ...keep(fieldsBeside(tool, new Set([...MODELLED, ...modelledCache(tool)]))),
  };
}

const readKind = oneOf(['auto', 'any', 'tool', 'none']);

export function decodeToolChoice(value: Json | undefined): Pick<ChatRequest, 'toolChoice' | 'parallelToolCalls'> {
  const choice = optional(value, 'tool_choice', asObject);
  if (!choice) return {};
  const single = optional(choice['disable_parallel_tool_use'], 'tool_choice.disable_parallel_tool_use', asBoolean);
  const parallel = single === undefined ? {} : { parallelToolCalls: !single };
  switch (readKind(choice['type'], 'tool_choice.type')) {
    case 'auto':
      return { toolChoice: { kind: 'auto' }, ...parallel };
    case 'any':
      return { toolChoice: { kind: 'required' }, ...parallel };
    case 'none':
      return { toolChoice: { kind: 'none' }, ...parallel };
    case 'tool':
      return { toolChoice: { kind: 'tool', name: asName(choice['name'], 'tool_choice.name', MAX_NAME) }, ...parallel };
  }
}
