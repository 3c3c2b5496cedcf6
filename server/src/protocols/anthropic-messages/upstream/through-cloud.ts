/**
 * The messages protocol at a cloud: the model stands in the path, the version in the body, and Amazon also takes betas in the body
 * and says there nothing of streams. Everything else is as it is at the maker's.
 */
import type { ProtocolId } from '../../../core/chat.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { CodecTarget } from '../../protocol.ts';
import { PROTOCOL } from '../own-fields.ts';

const VERSIONS = { vertex: 'vertex-2023-10-16', bedrock: 'bedrock-2023-05-31' } as const;
const BETA_HEADER = 'anthropic-beta';
/** Amazon refuses a request that names a beta which it does not know. */
const AMAZON_BETAS =
  /^(?:computer-use|token-efficient-tools|interleaved-thinking|output-128k|dev-full-thinking|context-management|effort|tool-search-tool|tool-examples|fine-grained-tool-streaming|structured-outputs)-/;
/** Service tiers are chosen in other ways there. */
const MAKERS_OWN = ['service_tier', 'speed'];

export interface CloudRequest {
  path: string;
  headers: Record<string, string>;
  body: JsonObject;
  relayHeaders: Record<string, string> | undefined;
}

export function isMessagesCloud(protocol: ProtocolId, { quirks }: Pick<CodecTarget, 'quirks'>): boolean {
  return quirks.cloud !== undefined && protocol === PROTOCOL;
}

/** `relayHeaders` are those of a client of the same protocol, already filtered. */
export function throughCloud(
  body: JsonObject,
  relayHeaders: Record<string, string> | undefined,
  { model, stream, quirks }: CodecTarget,
  warnings: string[],
): CloudRequest {
  const cloud = quirks.cloud ?? 'vertex';
  const { model: _model, stream: _stream, ...rest } = body;
  for (const field of MAKERS_OWN) delete rest[field];
  const sent: JsonObject = { anthropic_version: VERSIONS[cloud], ...rest };
  if (cloud === 'vertex') {
    const name = encodeURIComponent(model).replaceAll('%40', '@');
    const path = `/models/${name}:${stream ? 'streamRawPredict' : 'rawPredict'}`;
    if (stream) sent['stream'] = true;
    return { path, headers: { accept: stream ? 'text/event-stream' : 'application/json' }, body: sent, relayHeaders };
  }
  const { [BETA_HEADER]: betas, ...headers } = relayHeaders ?? {};
  const known = knownBetas(betas, warnings);
  if (known.length > 0) sent['anthropic_beta'] = known;
  const path = `/model/${encodeURIComponent(model)}/${stream ? 'invoke-with-response-stream' : 'invoke'}`;
  return { path, headers: { accept: 'application/json' }, body: sent, relayHeaders: headers };
}

function knownBetas(betas: string | undefined, warnings: string[]): string[] {
  const known: string[] = [];
  for (const beta of (betas ?? '').split(',')) {
    const name = beta.trim();
    if (AMAZON_BETAS.test(name)) known.push(name);
    else if (name !== '') warnings.push(`${BETA_HEADER} ${name} dropped: the provider does not know it`);
  }
  return known;
}

/** The address where Google counts the tokens of a request; the body names the model there. */
export const VERTEX_COUNT_PATH = '/models/count-tokens:rawPredict';

export function vertexCount(body: JsonObject): JsonObject {
  return { anthropic_version: VERSIONS.vertex, ...body };
}
