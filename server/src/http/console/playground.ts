/**
 * `/api/console/playground`: chat through the session, charged to a visible key with caps. The key's text is derived
 * from the master key and never leaves the server, so that no page ever holds a key.
 */

import {
  cancelPlaygroundStream,
  changePlayground,
  continuePlaygroundStream,
  getPlayground,
  playgroundChat,
} from '@dargah/api/console/playground.ts';
import type { AccountService } from '../../accounts/index.ts';
import { isShownTo, modelFor, modelView } from '../../catalog/index.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import {
  answerChat,
  type ClientProtocol,
  cancelStream,
  continueStream,
  type Gateway,
  lastEventIdOf,
} from '../../gateway/index.ts';
import { type ApiKey, type KeyService, type KeySnapshot, permitsModel } from '../../keys/index.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import type { AccountPrincipal } from '../routes/guards.ts';
import { RawAnswer } from '../routes/handler-result.ts';
import type { Register } from '../routes/register.ts';
import { consoleKeyView } from './keys.ts';

export interface PlaygroundServices {
  gw: Gateway;
  protocol: ClientProtocol;
  keys: KeyService;
  accounts: AccountService;
  secrets: Pick<SecretBox, 'derive'>;
}

const FIRST_CAPS = { daily: '50000' };
/** How long an ended answer waits for a page that is being reloaded. */
const RESUME_SECONDS = 60;

export function playgroundRoutes(register: Register, services: PlaygroundServices): void {
  const { gw, protocol, keys } = services;
  register(getPlayground, async ({ who, actor, query }) => {
    const key = await playgroundKey(services, who.accountId, actor);
    const view = { key: consoleKeyView(key), resume_seconds: resumeSecondsOf(key, gw) };
    if (query.models === 'none') return { ...view, models: [] };
    const snapshot = await snapshotOf(services, who.accountId);
    const { models, groups } = gw.catalog.current();
    const permitted = [...models.values()].filter(
      (model) => isShownTo(model, who.accountId) && permitsModel(snapshot, model.id, model.id, groups),
    );
    return {
      ...view,
      models: permitted.map((model) => modelView(modelFor(model, snapshot.account.margin))),
    };
  });
  register(changePlayground, async ({ who, body, actor }) => {
    const { id } = await playgroundKey(services, who.accountId, actor);
    return consoleKeyView(await keys.update(id, { rules: { caps: body } as Json }, actor));
  });
  register(playgroundChat, async ({ who, call, actor }) => {
    await playgroundKey(services, who.accountId, actor);
    const keyText = textOf(services, who.accountId);
    const asKey = { ...call, keyText, personId: readerOf(who), endpoint: 'chat.completions' as const };
    return new RawAnswer(await answerChat(asKey, protocol, gw));
  });
  streamRoutes(register, services);
}

/** Only the person who asked can continue or stop an answer; for everybody else it does not exist. */
function streamRoutes(register: Register, services: PlaygroundServices): void {
  const { gw } = services;
  register(continuePlaygroundStream, async ({ who, call, params: { id } }) => {
    const key = await snapshotOf(services, who.accountId);
    const after = lastEventIdOf(call.headers);
    const own = { requestId: id, after, param: 'Last-Event-ID', personId: readerOf(who), wasMade: async () => false };
    return new RawAnswer(await continueStream(own, key, gw));
  });
  register(cancelPlaygroundStream, async ({ who, params: { id } }) => {
    if (!(await cancelStream(id, who.accountId, gw, readerOf(who)))) throw new GatewayError('not_found');
    return { id, object: 'request.stream' as const, cancelled: true };
  });
}

/** The key's rule may shorten the time or forbid it. */
function resumeSecondsOf({ rules }: ApiKey, { settings }: Gateway): number {
  return Math.min(RESUME_SECONDS, settings.resumeMaxSeconds, rules.resumeSeconds ?? RESUME_SECONDS);
}

function readerOf({ personId, actor }: AccountPrincipal): string {
  return personId ?? actor;
}

async function snapshotOf(services: PlaygroundServices, accountId: string): Promise<KeySnapshot> {
  const snapshot = await services.gw.keys.find(textOf(services, accountId));
  if (snapshot === 'unknown') throw new GatewayError('not_found');
  return snapshot;
}

function textOf({ secrets }: PlaygroundServices, accountId: string): string {
  return `dgp-${secrets.derive(`dargah playground ${accountId}`)}`;
}

async function playgroundKey(services: PlaygroundServices, accountId: string, actor: string): Promise<ApiKey> {
  const { keys, gw } = services;
  const found = await keys.playgroundOf(accountId);
  const isCurrent = found !== undefined && (await gw.keys.find(textOf(services, accountId))) !== 'unknown';
  if (found && isCurrent) return found;
  // The master key was changed, and the derived text with it, so the former key is revoked.
  if (found) await keys.revoke(found.id, actor);
  const input = {
    accountId,
    name: 'Playground',
    purpose: 'playground',
    text: textOf(services, accountId),
    rules: { caps: FIRST_CAPS },
  } as const;
  // Two tabs may open at once: the second finds the key that the first has made.
  return keys
    .create({ ...input, rules: { caps: { ...FIRST_CAPS } } }, actor)
    .then(({ key }) => key)
    .catch(async (error: unknown) => {
      const made = await keys.playgroundOf(accountId);
      if (!made) throw error;
      return made;
    });
}
