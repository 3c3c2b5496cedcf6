/** `tools` and `tool_choice`. Tools that the provider runs are kept apart with their index in the list. */

import type { Tool, ToolChoice } from '../../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { choosable } from '../../choosable-tool.ts';
import type { DecodedTools } from '../../hosted-tools.ts';
import {
  asArray,
  asBoolean,
  asName,
  asObject,
  asString,
  fieldsBeside,
  oneOf,
  optional,
  refuseParam,
} from '../../read-fields.ts';
import { MAX_NAME, MAX_TOOLS } from '../bounds.ts';
import { keep } from '../own-fields.ts';
import { flatName } from '../tool-names.ts';

/** The namespace a tool stands in; its fields are kept on its first tool, so that it can be put together again. */
interface Namespace {
  name: string;
  fields: JsonObject | undefined;
}

const FUNCTION_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters', 'strict']);
const CUSTOM_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'description']);
const NAMESPACE_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'tools']);

export function decodeTools(value: Json | undefined): DecodedTools {
  const decoded: DecodedTools = { tools: [], hosted: [] };
  const list = optional(value, 'tools', (given, param) => asArray(given, param, MAX_TOOLS)) ?? [];
  for (const [index, item] of list.entries()) {
    const param = `tools.${index}`;
    const tool = asObject(item, param);
    const type = asName(tool['type'], `${param}.type`, MAX_NAME);
    if (type === 'function' || type === 'custom') decoded.tools.push(decodeTool(tool, type, param, undefined));
    else if (type === 'namespace') decoded.tools.push(...decodeNamespace(tool, param));
    else decoded.hosted.push({ index, tool });
  }
  if (decoded.tools.length > MAX_TOOLS) refuseParam('tools', reasons.tooLong('tools', MAX_TOOLS));
  return decoded;
}

function decodeNamespace(wire: JsonObject, param: string): Tool[] {
  const namespace: Namespace = {
    name: asName(wire['name'], `${param}.name`, MAX_NAME),
    fields: fieldsBeside(wire, NAMESPACE_FIELDS),
  };
  return asArray(wire['tools'], `${param}.tools`, MAX_TOOLS).map((item, index) => {
    const path = `${param}.tools.${index}`;
    const tool = asObject(item, path);
    return decodeTool(tool, oneOf(['function', 'custom'])(tool['type'] ?? null, `${path}.type`), path, namespace);
  });
}

function decodeTool(wire: JsonObject, kind: Tool['kind'], param: string, namespace: Namespace | undefined): Tool {
  const name = asName(wire['name'], `${param}.name`, MAX_NAME);
  const description = optional(wire['description'], `${param}.description`, asString);
  const parameters = kind === 'function' ? optional(wire['parameters'], `${param}.parameters`, asObject) : undefined;
  const strict = kind === 'function' ? optional(wire['strict'], `${param}.strict`, asBoolean) : undefined;
  const rest = fieldsBeside(wire, kind === 'function' ? FUNCTION_FIELDS : CUSTOM_FIELDS);
  return {
    kind,
    name: flatName(namespace?.name, name),
    ...(description !== undefined && { description }),
    ...(parameters && { parameters }),
    ...(strict !== undefined && { strict }),
    ...(namespace && { namespace: namespace.name }),
    ...keep({
      ...(rest && { fields: rest }),
      ...(namespace && { name }),
      ...(namespace?.fields && { namespace_fields: namespace.fields }),
    }),
  };
}

/** A choice among hosted tools is kept as it came, for the provider that runs them. */
export type DecodedChoice = { choice: ToolChoice } | { hostedChoice: JsonObject } | undefined;

export function decodeToolChoice(value: Json | undefined, { tools, hosted }: DecodedTools): DecodedChoice {
  const decoded = optional(value, 'tool_choice', (given) => readToolChoice(given));
  if (!decoded || 'hostedChoice' in decoded) return decoded;
  const { choice } = decoded;
  return choosable(choice, tools, hosted.length > 0) ? decoded : undefined;
}

function readToolChoice(value: Json): DecodedChoice {
  const param = 'tool_choice';
  if (!isJsonObject(value)) return { choice: { kind: oneOf(['auto', 'none', 'required'])(value, param) } };
  const type = asName(value['type'], `${param}.type`, MAX_NAME);
  if (type === 'function' || type === 'custom') {
    const namespace = optional(value['namespace'], `${param}.namespace`, asString);
    return {
      choice: { kind: 'tool', name: namedTool(value, param), ...(namespace !== undefined && { namespace }) },
    };
  }
  if (type !== 'allowed_tools') return { hostedChoice: value };
  const list = asArray(value['tools'], `${param}.tools`, MAX_TOOLS);
  const allHere = list.every(
    (tool) => isJsonObject(tool) && (tool['type'] === 'function' || tool['type'] === 'custom'),
  );
  if (!allHere) return { hostedChoice: value };
  return {
    choice: {
      kind: 'allowed',
      mode: oneOf(['auto', 'required'])(value['mode'] ?? null, `${param}.mode`),
      names: list.map((item, index) => namedTool(asObject(item, `${param}.tools.${index}`), `${param}.tools.${index}`)),
    },
  };
}

function namedTool(wire: JsonObject, param: string): string {
  const namespace = optional(wire['namespace'], `${param}.namespace`, asString);
  return flatName(namespace, asName(wire['name'], `${param}.name`, MAX_NAME));
}
