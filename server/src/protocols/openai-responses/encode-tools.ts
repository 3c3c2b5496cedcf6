/** Canonical tools and tool choice on the wire: for the provider, and repeated to the client in its answer. */
import type { ChatRequest, Tool, ToolChoice } from '../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { HOSTED_TOOLS, OPTIONAL_TOOLS } from '../foreign-fields.ts';
import { kept } from './own-fields.ts';
import { ownName } from './tool-names.ts';

export function encodeTools(request: ChatRequest, dropStrict = false): JsonObject[] {
  const wire: JsonObject[] = [];
  const namespaces = new Map<string, JsonObject[]>();
  for (const tool of request.tools) {
    const encoded = encodeTool(tool, dropStrict);
    if (tool.namespace === undefined) {
      wire.push(encoded);
      continue;
    }
    const known = namespaces.get(tool.namespace);
    if (known) {
      known.push(encoded);
      continue;
    }
    const tools = [encoded];
    namespaces.set(tool.namespace, tools);
    const fields = kept(tool)?.['namespace_fields'];
    wire.push({ type: 'namespace', name: tool.namespace, ...(isJsonObject(fields) && fields), tools });
  }
  putBackHosted(request, wire);
  return wire;
}

function encodeTool(tool: Tool, dropStrict: boolean): JsonObject {
  const fields = kept(tool)?.['fields'];
  const described = {
    name: ownName(tool),
    ...(tool.description !== undefined && { description: tool.description }),
    ...(isJsonObject(fields) && fields),
  };
  if (tool.kind === 'custom') return { type: 'custom', ...described };
  return {
    type: 'function',
    ...described,
    // The provider insists on both, and takes a missing `strict` for true, which few schemas of other clients satisfy.
    parameters: tool.parameters ?? { type: 'object', properties: {} },
    ...(!dropStrict && { strict: tool.strict ?? false }),
  };
}

function putBackHosted(request: ChatRequest, wire: JsonObject[]): void {
  const own = kept(request);
  const lists = [own?.[HOSTED_TOOLS], own?.[OPTIONAL_TOOLS]];
  const entries = lists.flatMap((list) => (Array.isArray(list) ? list.filter(isJsonObject) : []));
  const placed = entries.sort((a, b) => Number(a['index']) - Number(b['index']));
  for (const { index, tool } of placed) if (isJsonObject(tool)) wire.splice(Number(index), 0, tool);
}

export function encodeToolChoice({ toolChoice, tools, extras }: ChatRequest): Json | undefined {
  const hosted = kept({ extras })?.['tool_choice'];
  if (isJsonObject(hosted)) return hosted;
  return toolChoice && encodeChoice(toolChoice, tools);
}

function encodeChoice(choice: ToolChoice, tools: readonly Tool[]): Json {
  switch (choice.kind) {
    case 'auto':
    case 'none':
    case 'required':
      return choice.kind;
    case 'tool':
      return namedTool(choice.name, tools);
    case 'allowed':
      return { type: 'allowed_tools', mode: choice.mode, tools: choice.names.map((name) => namedTool(name, tools)) };
  }
}

function namedTool(name: string, tools: readonly Tool[]): JsonObject {
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) return { type: 'function', name };
  return {
    type: tool.kind,
    name: ownName(tool),
    ...(tool.namespace !== undefined && { namespace: tool.namespace }),
  };
}
