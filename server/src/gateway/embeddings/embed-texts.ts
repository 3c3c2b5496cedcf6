/** Vectors for the gateway's own use, in the name of an account: planned, admitted, charged and logged like a request of its own. */
import { GatewayError } from '../../core/errors.ts';
import { makeId } from '../../core/ids.ts';
import { type KeySnapshot, UNLIMITED_KEY } from '../../keys/index.ts';
import { recordRefusal } from '../admit/refusals.ts';
import { resolveModel } from '../admit/resolve.ts';
import type { Call, ClientConnection } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { embed } from './embeddings.ts';

export interface TextsToEmbed {
  /** Whose limits it counts against: a caller's key, or the account itself for work in the background. */
  key: KeySnapshot;
  model: string;
  texts: string[];
}

export async function embedTexts({ key, model, texts }: TextsToEmbed, gw: Gateway): Promise<Float32Array[]> {
  const call = ownCall(gw);
  const payer = anyModel(key);
  call.metadata.key = payer;
  const request = { model, inputs: texts, encoding: 'float' as const, svc: { knowledgeBaseIds: [] }, extras: {} };
  try {
    const { response } = await embed(call, payer, request, gw);
    if (response.vectors.length !== texts.length)
      throw new GatewayError('upstream_error', {
        cause: `${response.vectors.length} vectors for ${texts.length} texts`,
      });
    return response.vectors.map((vector) => Float32Array.from(vector));
  } catch (error) {
    if (error instanceof GatewayError) recordRefusal(call, error, gw);
    throw error;
  }
}

/** For work that no key asked for. Its spending counts on the account alone. */
export function accountItself(account: KeySnapshot['account']): KeySnapshot {
  return { id: `knowledge.${account.id}`, name: 'knowledge bases', rules: UNLIMITED_KEY, account };
}

export function checkEmbeddingModel(model: string, key: KeySnapshot | undefined, gw: Gateway): void {
  const catalog = gw.catalog.current();
  if (key) resolveModel(model, key, catalog, 'embedding');
  else if (catalog.models.get(model)?.kind !== 'embedding')
    throw new GatewayError('model_not_found', { param: 'embedding_model' });
}

/** The owner chose the base's model when it was made; a key's list of models is about what it asks for itself. */
function anyModel(key: KeySnapshot): KeySnapshot {
  return { ...key, rules: { ...key.rules, models: null } };
}

const NOBODY: ClientConnection = { gone: false, onGone: () => undefined };

function ownCall(gw: Gateway): Call {
  const now = gw.clock.now();
  return {
    id: makeId('req', now, gw.randomBytes),
    endpoint: 'embeddings',
    receivedAt: now,
    startedMs: gw.clock.monotonicMs(),
    headers: {},
    keyText: undefined,
    ip: '',
    referrer: undefined,
    language: 'en',
    idempotencyKey: undefined,
    hop: 0,
    relayHeaders: {},
    contentType: undefined,
    body: new Uint8Array(0),
    trace: undefined,
    client: NOBODY,
    metadata: { windows: new Map(), warnings: [], memory: undefined },
  };
}
