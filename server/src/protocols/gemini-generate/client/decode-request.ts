/** A `generateContent` request → the canonical chat. The address says which model is asked, and whether for a stream. */
import type { ChatRequest, Message } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { HOSTED_TOOLS } from '../../foreign-fields.ts';
import { asObject, asString, optional } from '../../read-fields.ts';
import { decodeServiceExtension } from '../../service-extension.ts';
import { PROTOCOL } from '../own-fields.ts';
import { decodeConfig, refuseUnknownField } from './decode-config.ts';
import { decodeContents } from './decode-contents.ts';
import { decodeSystem } from './decode-parts.ts';
import { decodeToolChoice, decodeTools } from './decode-tools.ts';
import { asItems, wireFields } from './wire-names.ts';

/** What the address says about a request. */
export interface AskedByAddress {
  model: string | undefined;
  stream: boolean;
}

const READ = ['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'safetySettings', 'svc'];
/** These are said by the address, or have no effect on the answer. */
const WITHOUT_EFFECT = ['model', 'labels', 'store'];
const REFUSED = ['cachedContent', 'serviceTier', 'continuationToken'];
const KNOWN = [...READ, ...WITHOUT_EFFECT, ...REFUSED];

export function decodeRequest(given: JsonObject, { model, stream }: AskedByAddress): ChatRequest {
  const body = wireFields(given);
  for (const name in body) if (!KNOWN.includes(name)) refuseUnknownField(name, name, KNOWN);
  refuseKept(body);
  refuseTier(body['serviceTier']);
  const { tools, hosted } = decodeTools(body['tools']);
  const { sampling, output, maxOutputTokens, reasoning, carried } = decodeConfig(body['generationConfig']);
  const safety = optional(body['safetySettings'], 'safetySettings', readSafety);
  const own: JsonObject = {
    ...(safety?.length && { safetySettings: safety }),
    ...(carried && { generationConfig: carried }),
    ...(hosted.length > 0 && { [HOSTED_TOOLS]: hosted.map(({ index, tool }) => ({ index, tool })) }),
  };
  return {
    model,
    messages: [...systemOf(body['systemInstruction']), ...decodeContents(body['contents'])],
    tools,
    ...decodeToolChoice(body['toolConfig'], tools),
    output,
    sampling,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(reasoning && { reasoning }),
    stream,
    includeUsage: true,
    svc: decodeServiceExtension(body['svc']),
    extras: Object.keys(own).length > 0 ? { [PROTOCOL]: own } : {},
  };
}

function systemOf(value: Json | undefined): Message[] {
  const parts = decodeSystem(value, 'systemInstruction');
  return parts.length > 0 ? [{ role: 'system', parts }] : [];
}

/** Content cached at a provider belongs to the service's account there, not to the caller. */
function refuseKept(body: JsonObject): void {
  for (const name of ['cachedContent', 'continuationToken'])
    if (optional(body[name], name, asString)) throw invalidRequest(name, reasons.notCarried(name));
}

const PLAIN_TIERS = /^(?:SERVICE_TIER_)?(?:UNSPECIFIED|STANDARD|FLEX)$/i;

/** A tier is dropped where it is not more expensive: the answer then comes at normal speed. */
function refuseTier(value: Json | undefined): void {
  const tier = optional(value, 'serviceTier', asString);
  if (tier && !PLAIN_TIERS.test(tier)) throw invalidRequest('serviceTier', reasons.costsMore('serviceTier', tier));
}

function readSafety(value: Json, param: string): Json[] {
  return asItems(value, param).map((item, index) => asObject(item, `${param}.${index}`));
}
