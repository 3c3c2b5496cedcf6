/** Tools, the choice among them, and the form of the answer. */
import type { OutputKind, Tool, ToolChoice } from '../../../core/chat.ts';
import { expected } from '../../../core/expected.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { choosable } from '../../choosable-tool.ts';
import type { HostedTool } from '../../hosted-tools.ts';
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
import { decodeCacheControl } from '../decode-content.ts';

const FUNCTION_FIELDS: ReadonlySet<string> = new Set(['name', 'description', 'parameters', 'strict']);
const CUSTOM_TOOL_FIELDS: ReadonlySet<string> = new Set(['name', 'description']);
/** OpenAI's own rule for the name of a schema; some providers answer 500 to other names. */
const SCHEMA_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** The name is only a label, and half of the clients leave it out; OpenAI refuses a schema without one. */
export const UNNAMED_SCHEMA = 'response';

/**
 * A tool that the provider runs itself (`openrouter:advisor`); whether it may be sent is decided when providers are
 * chosen.
 */
const MAX_TOOL_TYPE = 64;

/** The result has `hosted` only where there are such tools. */
export function decodeTools(body: JsonObject): { tools: Tool[]; hosted?: HostedTool[] } {
  const decoded = optional(body['tools'], 'tools', readTools);
  const functions = optional(body['functions'], 'functions', readFunctions);
  if (decoded && functions) decoded.tools.push(...functions);
  return decoded ?? { tools: functions ?? [] };
}

function readFunctions(value: Json, param: string): Tool[] {
  return asArray(value, param, MAX_TOOLS).map((item, index) => {
    const path = `${param}.${index}`;
    return decodeFunction(asObject(item, path), path);
  });
}

function readTools(value: Json, param: string): { tools: Tool[]; hosted?: HostedTool[] } {
  const decoded: { tools: Tool[]; hosted?: HostedTool[] } = { tools: [] };
  for (const [index, item] of asArray(value, param, MAX_TOOLS).entries()) {
    const path = `${param}.${index}`;
    const wire = asObject(item, path);
    // Mistral's own client leaves the type out, because there is only one.
    const rawType = wire['type'] ?? (isJsonObject(wire['function']) ? 'function' : null);
    const type = asName(rawType, `${path}.type`, MAX_TOOL_TYPE);
    if (type === 'function' || type === 'custom') decoded.tools.push(decodeTool(wire, type, path));
    else {
      decoded.hosted ??= [];
      decoded.hosted.push({ index, tool: wire });
    }
  }
  return decoded;
}

function decodeTool(wire: JsonObject, type: 'function' | 'custom', param: string): Tool {
  const tool =
    type === 'function'
      ? decodeFunction(asObject(wire['function'], `${param}.function`), `${param}.function`)
      : decodeCustomTool(asObject(wire['custom'], `${param}.custom`), `${param}.custom`);
  const cacheControl = decodeCacheControl(wire['cache_control'], `${param}.cache_control`);
  if (cacheControl) tool.cacheControl = cacheControl;
  return tool;
}

function decodeFunction(wire: JsonObject, param: string): Tool {
  const description = optional(wire['description'], `${param}.description`, asString);
  const parameters = optional(wire['parameters'], `${param}.parameters`, asObject);
  const strict = optional(wire['strict'], `${param}.strict`, asBoolean);
  const rest = fieldsBeside(wire, FUNCTION_FIELDS);
  return {
    kind: 'function',
    name: asName(wire['name'], `${param}.name`, MAX_NAME),
    ...(description !== undefined && { description }),
    ...(parameters && { parameters }),
    ...(strict !== undefined && { strict }),
    ...(rest && { extras: { 'openai-chat': rest } }),
  };
}

function decodeCustomTool(wire: JsonObject, param: string): Tool {
  const description = optional(wire['description'], `${param}.description`, asString);
  const rest = fieldsBeside(wire, CUSTOM_TOOL_FIELDS);
  return {
    kind: 'custom',
    name: asName(wire['name'], `${param}.name`, MAX_NAME),
    ...(description !== undefined && { description }),
    ...(rest && { extras: { 'openai-chat': rest } }),
  };
}

/** `others` says that there are tools that the provider runs itself. */
export function decodeToolChoice(body: JsonObject, tools: readonly Tool[], others: boolean): ToolChoice | undefined {
  const choice =
    optional(body['tool_choice'], 'tool_choice', readToolChoice) ??
    optional(body['function_call'], 'function_call', readFunctionCall);
  return choice && choosable(choice, tools, others) ? choice : undefined;
}

function readToolChoice(value: Json, param: string): ToolChoice {
  if (!isJsonObject(value)) return { kind: oneOf(['auto', 'none', 'required'])(value, param) };
  const type = oneOf(['function', 'custom', 'allowed_tools'])(value['type'] ?? null, `${param}.type`);
  if (type !== 'allowed_tools') return { kind: 'tool', name: namedTool(value, type, param) };
  const allowed = asObject(value['allowed_tools'], `${param}.allowed_tools`);
  const list = asArray(allowed['tools'], `${param}.allowed_tools.tools`, MAX_TOOLS);
  return {
    kind: 'allowed',
    mode: oneOf(['auto', 'required'])(allowed['mode'] ?? null, `${param}.allowed_tools.mode`),
    names: list.map((item, index) => {
      const path = `${param}.allowed_tools.tools.${index}`;
      const entry = asObject(item, path);
      return namedTool(entry, oneOf(['function', 'custom'])(entry['type'] ?? null, `${path}.type`), path);
    }),
  };
}

function namedTool(wire: JsonObject, type: 'function' | 'custom', param: string): string {
  return asName(asObject(wire[type], `${param}.${type}`)['name'], `${param}.${type}.name`, MAX_NAME);
}

function readFunctionCall(value: Json, param: string): ToolChoice {
  if (isJsonObject(value)) return { kind: 'tool', name: asName(value['name'], `${param}.name`, MAX_NAME) };
  return { kind: oneOf(['auto', 'none'])(value, param) };
}

export function decodeOutput(value: Json | undefined): OutputKind {
  const format = optional(value, 'response_format', asObject);
  if (!format) return { kind: 'text' };
  const type = oneOf(['text', 'json_object', 'json_schema'])(format['type'] ?? null, 'response_format.type');
  if (type === 'text') return { kind: 'text' };
  if (type === 'json_object') return { kind: 'json' };
  const param = 'response_format.json_schema';
  const wire = asObject(format['json_schema'], param);
  const name = optional(wire['name'], `${param}.name`, asString) ?? UNNAMED_SCHEMA;
  if (!SCHEMA_NAME.test(name)) {
    refuseParam(`${param}.name`, reasons.mustBe(`${param}.name`, expected.toolName));
  }
  const description = optional(wire['description'], `${param}.description`, asString);
  const strict = optional(wire['strict'], `${param}.strict`, asBoolean);
  return {
    kind: 'json-schema',
    name,
    schema: asObject(wire['schema'], `${param}.schema`),
    ...(description !== undefined && { description }),
    ...(strict !== undefined && { strict }),
  };
}
