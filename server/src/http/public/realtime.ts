/** Realtime sessions over a WebSocket, and the secrets that browsers open them with. */
import { createClientSecret, openRealtimeSocket } from '@dargah/api/public/realtime.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Gateway, realtimeModelOf, refuseGuess } from '../../gateway/index.ts';
import { CLIENT_SECRET_SECONDS, type ClientSecrets, isClientSecret } from '../../keys/index.ts';
import { checkedSession, openaiChatClient } from '../../protocols/index.ts';
import { httpReasons } from '../reasons.ts';
import type { KeyRoutes } from '../routes/key-routes.ts';
import type { ServedSockets } from '../sockets/index.ts';
import { RealtimeSocket } from '../sockets/realtime-socket.ts';

/** Instructions and tools of a session, as text. */
const MAX_SESSION_CHARACTERS = 32 * 1024;

export function realtime(routes: KeyRoutes, gw: Gateway, secrets: ClientSecrets, served: ServedSockets): void {
  routes.refusing(openRealtimeSocket, openaiChatClient, () => {
    throw new GatewayError('upgrade_required');
  });
  const { path, access } = openRealtimeSocket;
  served.handshake.open({
    path,
    endpoint: access.endpoint,
    codec: openaiChatClient,
    enter: (opened) => void new RealtimeSocket(opened, served.serving, served.sockets),
    async secretOf(call) {
      const { keyText } = call;
      if (!isClientSecret(keyText)) return undefined;
      return (await secrets.find(keyText)) ?? refuseGuess(call, 'invalid_api_key', gw);
    },
  });
  routes.free(createClientSecret, async ({ key, body, call }) => {
    const session = (body.session ?? {}) as JsonObject;
    const model = realtimeModelOf(typeof session['model'] === 'string' ? session['model'] : undefined, key, gw);
    const settings = checkedSession({ ...session, model: model.id }, model.id);
    if (JSON.stringify(settings).length > MAX_SESSION_CHARACTERS)
      throw invalidRequest('session', httpReasons.sessionTooLarge(MAX_SESSION_CHARACTERS));
    const seconds = body.expires_after?.seconds ?? CLIENT_SECRET_SECONDS.usual;
    const made = await secrets.make(key, call.keyText ?? '', { model: model.id, session: settings, seconds });
    return { value: made.value, expires_at: made.expiresAt, session: { ...settings, model: model.id } };
  });
}
