/** Functions the model may call, and how freely it may choose among them. */
import type { ChatRequest, Tool, ToolChoice } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { kept } from '../own-fields.ts';
import { toSchemaSubset } from './schema-subset.ts';

export interface ToolFields {
  tools?: JsonObject[];
  toolConfig?: JsonObject;
}

export function encodeTools(request: ChatRequest, drop: (field: string) => void): ToolFields {
  if (request.parallelToolCalls === false) drop('parallel_tool_calls');
  const { toolChoice } = request;
  const offered = request.tools.filter((tool) => isOffered(tool, toolChoice));
  if (offered.length === 0) return {};
  const functionDeclarations = offered.map((tool, index) => declaration(tool, `tools.${index}`));
  if (offered.some((tool) => tool.strict)) drop('tools.strict');
  const config = toolChoice && callingConfig(toolChoice);
  return {
    tools: [{ functionDeclarations }],
    ...(config && { toolConfig: { functionCallingConfig: config } }),
  };
}

/** `allowed_tools` in free mode has no wire form: the wire limits names only when a call is forced. */
function isOffered(tool: Tool, choice: ToolChoice | undefined): boolean {
  return choice?.kind !== 'allowed' || choice.mode === 'required' || choice.names.includes(tool.name);
}

function declaration(tool: Tool, param: string): JsonObject {
  if (tool.kind === 'custom') throw invalidRequest(param, reasons.notCarried('custom tool'));
  return { name: tool.name, description: tool.description ?? '', ...parameterFields(tool.parameters), ...kept(tool) };
}

/** An object without properties is answered with 400: a function without arguments declares no parameters. */
function parameterFields(schema: JsonObject | undefined): JsonObject {
  if (!schema || takesNothing(schema)) return {};
  const parameters = toSchemaSubset(schema);
  return parameters ? { parameters } : { parametersJsonSchema: schema };
}

function takesNothing(schema: JsonObject): boolean {
  const keywords = Object.keys(schema).filter((key) => !['$schema', 'title', 'description'].includes(key));
  const properties = schema['properties'];
  const empty = properties === undefined || (isJsonObject(properties) && Object.keys(properties).length === 0);
  return (
    empty &&
    !isJsonObject(schema['additionalProperties']) &&
    keywords.every((key) => ['type', 'properties', 'required', 'additionalProperties'].includes(key))
  );
}

function callingConfig(choice: ToolChoice): JsonObject {
  switch (choice.kind) {
    case 'auto':
      return { mode: 'AUTO' };
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] };
    case 'allowed':
      return choice.mode === 'auto' ? { mode: 'AUTO' } : { mode: 'ANY', allowedFunctionNames: [...choice.names] };
  }
}
