/**
 * `/api/console/playground`: chat through the session, charged to a visible key with caps. The key's text is derived from the
 * master key and never leaves the server, so that no page ever holds a key.
 */

import { changePlayground, getPlayground, playgroundChat } from '@dargah/api/console/playground.ts';
import type { AccountService } from '../../accounts/index.ts';
import { isShownTo, modelFor, modelView } from '../../catalog/index.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { answerChat, type ClientProtocol, type Gateway } from '../../gateway/index.ts';
import { type ApiKey, type KeyService, permitsModel } from '../../keys/index.ts';
import type { SecretBox } from '../../platform/secrets.ts';
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

export function playgroundRoutes(register: Register, services: PlaygroundServices): void {
  const { gw, protocol, keys } = services;
  register(getPlayground, async ({ who, actor, query }) => {
    const key = await playgroundKey(services, who.accountId, actor);
    if (query.models === 'none') return { key: consoleKeyView(key), models: [] };
    const snapshot = await gw.keys.find(textOf(services, who.accountId));
    if (snapshot === 'unknown') throw new GatewayError('not_found');
    const { models, groups } = gw.catalog.current();
    const permitted = [...models.values()].filter(
      (model) => isShownTo(model, who.accountId) && permitsModel(snapshot, model.id, model.id, groups),
    );
    return {
      key: consoleKeyView(key),
      models: permitted.map((model) => modelView(modelFor(model, snapshot.account.margin))),
    };
  });
  register(changePlayground, async ({ who, body, actor }) => {
    const { id } = await playgroundKey(services, who.accountId, actor);
    return consoleKeyView(await keys.update(id, { rules: { caps: body } as Json }, actor));
  });
  register(playgroundChat, async ({ who, call, actor }) => {
    await playgroundKey(services, who.accountId, actor);
    const asKey = { ...call, keyText: textOf(services, who.accountId), endpoint: 'chat.completions' as const };
    return new RawAnswer(await answerChat(asKey, protocol, gw));
  });
}

function textOf({ secrets }: PlaygroundServices, accountId: string): string {
  return `dgp-${secrets.derive(`dargah playground ${accountId}`)}`;
}

async function playgroundKey(services: PlaygroundServices, accountId: string, actor: string): Promise<ApiKey> {
  const { keys, gw } = services;
  const found = await keys.playgroundOf(accountId);
  const isCurrent = found !== undefined && (await gw.keys.find(textOf(services, accountId))) !== 'unknown';
  if (found && isCurrent) return found;
  // The master key was changed, and with it the text: the key that belonged to the former one ends.
  if (found) await keys.revoke(found.id, actor);
  const input = {
    accountId,
    name: 'Playground',
    purpose: 'playground',
    text: textOf(services, accountId),
    rules: { caps: FIRST_CAPS },
  } as const;
  // Two tabs may open at once: the second finds what the first has made.
  return keys
    .create({ ...input, rules: { caps: { ...FIRST_CAPS } } }, actor)
    .then(({ key }) => key)
    .catch(async (error: unknown) => {
      const made = await keys.playgroundOf(accountId);
      if (!made) throw error;
      return made;
    });
}
