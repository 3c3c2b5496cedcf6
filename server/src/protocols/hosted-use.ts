/**
 * Tools that the provider runs and bills per call: which of them are known, how many calls a request may make, and how
 * much a call may add to the model's input. Holds are made of these bounds, and the provider is sent the same.
 */
import type { ChatRequest, HostedCalls, HostedUse, ProtocolId } from '../core/chat.ts';
import { invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { Price } from '../core/price.ts';
import { reasons } from '../core/reasons.ts';
import type { ToolBucket } from '../core/usage.ts';
import { HOSTED_TOOLS, OPTIONAL_TOOLS } from './foreign-fields.ts';
import { type NamedAtProvider, storesOf } from './named-at-provider.ts';

/**
 * How many calls are allowed where the client names no bound; one for a search that coding agents always offer beside
 * their own tools.
 */
const USUAL_CALLS = 4;
const HABITUAL_CALLS = 1;
/** More than anybody needs in one request, and few enough to hold for. */
const MAX_CALLS = 100;
/** The provider ends its own loop after so many passes where no field bounds them. */
const PASSES = 10;
/** Tokens of a page that is read, where the client names no bound. */
const USUAL_PAGE = 20_000;
const MAX_PAGE = 200_000;
const FILE_RESULTS = 20;
const TOKENS_PER_RESULT = 800;
/** A picture of a megapixel at the highest quality, with its previews. */
const TOKENS_PER_MEGAPIXEL = 5_000;
const USUAL_MEGAPIXELS = 1.6;
const MAX_MEGAPIXELS = 9;

interface HostedKind {
  type: RegExp;
  bucket: ToolBucket;
  /** A session is one for the whole request, whatever its calls. */
  session?: true;
  /** The client's tool says how often it may be called. */
  bounded?: true;
  resultTokens(tool: JsonObject, at: string): number;
  /** Refuses options that have another price, or that reach what is not the customer's own. */
  check?(tool: JsonObject, at: string): void;
  /** Returns what the tool reads at the provider. */
  reaches?(tool: JsonObject, at: string): NamedAtProvider | undefined;
}

const KINDS: Partial<Record<ProtocolId, readonly HostedKind[]>> = {
  'anthropic-messages': [
    { type: /^web_search_\d{8}$/, bucket: 'webSearches', bounded: true, resultTokens: () => 12_000 },
    { type: /^web_fetch_\d{8}$/, bucket: 'webFetches', bounded: true, resultTokens: pageTokens },
    { type: /^code_execution_\d{8}$/, bucket: 'codeSessions', session: true, resultTokens: () => 5_000 },
  ],
  'openai-responses': [
    { type: /^web_search(?:_\d{4}_\d{2}_\d{2})?$/, bucket: 'webSearches', resultTokens: () => 12_000 },
    { type: /^file_search$/, bucket: 'fileSearches', resultTokens: fileTokens, reaches: storesOf },
    {
      type: /^code_interpreter$/,
      bucket: 'codeSessions',
      session: true,
      resultTokens: () => 5_000,
      check: (tool, at) => checkContainer(tool['container'], `${at}.container`, 'auto'),
    },
    {
      type: /^shell$/,
      bucket: 'codeSessions',
      session: true,
      resultTokens: () => 5_000,
      check: (tool, at) => checkContainer(tool['environment'], `${at}.environment`, 'container_auto'),
    },
    { type: /^image_generation$/, bucket: 'imageToolOutput', resultTokens: () => 2_000, check: checkDrawing },
  ],
};

/** A shell in a container of the provider's is billed; one that the client runs itself is not. */
export function isHostedShell(tool: JsonObject): boolean {
  const { type, environment = null } = tool;
  return type === 'shell' && environment !== null && !(isJsonObject(environment) && environment['type'] === 'local');
}

/** Returns undefined where the provider runs none of these tools. */
export function hostedCalls(protocol: ProtocolId, request: ChatRequest, body: JsonObject): HostedCalls | undefined {
  const kinds = KINDS[protocol];
  const own = kinds && request.extras[protocol];
  if (!own || (own[HOSTED_TOOLS] === undefined && own[OPTIONAL_TOOLS] === undefined)) return undefined;
  const uses = [...readUses(own[HOSTED_TOOLS], kinds, false), ...readUses(own[OPTIONAL_TOOLS], kinds, true)];
  if (uses.length === 0) return undefined;
  if (protocol !== 'openai-responses') return { protocol, uses };
  const isHabit = request.tools.length > 0 && uses.every(({ optional }) => optional);
  const usual = isHabit ? HABITUAL_CALLS : USUAL_CALLS;
  const total = readCalls(body['max_tool_calls'], 'max_tool_calls') ?? usual;
  return {
    protocol,
    uses: uses.map((use) => withCalls(use, total)),
    total,
    ...(isHabit && { isHabit: true as const }),
  };
}

function readUses(entries: Json | undefined, kinds: readonly HostedKind[], optional: boolean): HostedUse[] {
  return (Array.isArray(entries) ? entries : []).flatMap((entry) => {
    const { index, tool } = isJsonObject(entry) ? entry : {};
    if (typeof index !== 'number' || !isJsonObject(tool)) return [];
    const kind = kindOf(tool, kinds);
    return kind ? [useOf(tool, index, kind, optional)] : [];
  });
}

function kindOf(tool: JsonObject, kinds: readonly HostedKind[]): HostedKind | undefined {
  const { type } = tool;
  if (typeof type !== 'string' || (type === 'shell' && !isHostedShell(tool))) return undefined;
  return kinds.find((kind) => kind.type.test(type));
}

function useOf(tool: JsonObject, index: number, kind: HostedKind, optional: boolean): HostedUse {
  const at = `tools.${index}`;
  kind.check?.(tool, at);
  const named = kind.bounded ? readCalls(tool['max_uses'], `${at}.max_uses`) : undefined;
  const calls = named ?? (kind.session ? PASSES : USUAL_CALLS);
  const { bucket } = kind;
  const reaches = kind.reaches?.(tool, at);
  const use: HostedUse = {
    index,
    type: String(tool['type']),
    calls,
    most: { [bucket]: kind.session ? 1 : calls },
    resultTokens: kind.resultTokens(tool, at),
    optional,
    ...(reaches && { reaches }),
  };
  return bucket === 'imageToolOutput' ? drawing(use, tool, calls) : use;
}

function withCalls(use: HostedUse, total: number): HostedUse {
  const factor = total / use.calls;
  const most: HostedUse['most'] = {};
  for (const [bucket, units] of Object.entries(use.most))
    most[bucket as ToolBucket] = bucket === 'codeSessions' ? units : Math.ceil(units * factor);
  return { ...use, calls: total, most };
}

function readCalls(value: Json | undefined, param: string): number | undefined {
  return readWhole(value, param, MAX_CALLS);
}

function readWhole(value: Json | undefined, param: string, max: number): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw invalidRequest(param, reasons.mustBe(param, expected.between(1, max)));
}

function pageTokens(tool: JsonObject, at: string): number {
  return readWhole(tool['max_content_tokens'], `${at}.max_content_tokens`, MAX_PAGE) ?? USUAL_PAGE;
}

function fileTokens(tool: JsonObject, at: string): number {
  return (readWhole(tool['max_num_results'], `${at}.max_num_results`, 50) ?? FILE_RESULTS) * TOKENS_PER_RESULT;
}

/** Tokens of the pictures that may be drawn, and of what the tool may read of the conversation for each. */
function drawing(use: HostedUse, tool: JsonObject, calls: number): HostedUse {
  const megapixels = Math.min(MAX_MEGAPIXELS, megapixelsOf(tool['size']));
  const each = Math.ceil(TOKENS_PER_MEGAPIXEL * Math.max(1, megapixels));
  return { ...use, most: { imageToolInput: calls * each, imageToolOutput: calls * each } };
}

function megapixelsOf(size: Json | undefined): number {
  const [, width, height] = (typeof size === 'string' && /^(\d{2,4})x(\d{2,4})$/.exec(size)) || [];
  return width === undefined ? USUAL_MEGAPIXELS : (Number(width) * Number(height)) / 1_000_000;
}

/** Tokens of a picture where the provider does not say: as many as are held for it. */
export const UNREPORTED_PICTURE = Math.ceil(TOKENS_PER_MEGAPIXEL * USUAL_MEGAPIXELS);

/** Only a fresh container of the normal size: others have other prices, and a named one may belong to somebody else. */
function checkContainer(container: Json | undefined, at: string, type: string): void {
  if (!isJsonObject(container) || container['type'] !== type) throw refused(at, container);
  for (const [name, value] of Object.entries(container)) {
    if (name === 'type' || value === null || (Array.isArray(value) && value.length === 0)) continue;
    if (name !== 'memory_limit' || value !== '1g') throw refused(`${at}.${name}`, value);
  }
}

/** The price is that of the default model; files at the provider are not the customer's. */
function checkDrawing(tool: JsonObject, at: string): void {
  if ((tool['model'] ?? null) !== null) throw refused(`${at}.model`, tool['model']);
  const mask = tool['input_image_mask'];
  if (isJsonObject(mask) && (mask['file_id'] ?? null) !== null)
    throw refused(`${at}.input_image_mask.file_id`, mask['file_id']);
}

function refused(param: string, value: Json | undefined) {
  return invalidRequest(param, reasons.costsMore(param, (JSON.stringify(value ?? null) ?? 'null').slice(0, 100)));
}

/** Every bucket that it may use has a price. */
export function isSold({ perUnit }: Price, { most }: HostedUse): boolean {
  for (const bucket in most) if (perUnit[bucket as ToolBucket] === undefined) return false;
  return true;
}

/** The tool as the provider is sent it, with the bounds that are held for. */
export function boundedTool(tool: JsonObject, { calls, resultTokens, type }: HostedUse): JsonObject {
  if (type.startsWith('web_fetch_')) return { ...tool, max_uses: calls, max_content_tokens: resultTokens };
  return /^web_search_\d{8}$/.test(type) ? { ...tool, max_uses: calls } : tool;
}
