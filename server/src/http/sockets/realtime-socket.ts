/**
 * The client's side of a realtime session: the connection, the key behind it, and errors in the form its library reads.
 */
import { invalidRequest } from '../../core/errors.ts';
import {
  authenticate,
  authenticateByDigest,
  type Call,
  oneHeader,
  type RealtimeClient,
  RealtimeSession,
} from '../../gateway/index.ts';
import type { ClientSecret, KeySnapshot } from '../../keys/index.ts';
import type { MemoryShare } from '../../platform/memory-budget.ts';
import { openaiChatClient } from '../../protocols/index.ts';
import { httpReasons } from '../reasons.ts';
import { explanationOf, type Serving } from '../serve.ts';
import type { OpenSockets, SocketEnd } from './open-sockets.ts';
import type { SocketTalk } from './socket-connection.ts';
import type { OpenedSocket } from './socket-handshake.ts';

/** The most messages that wait for money or for a provider; beyond it nothing is read from the client. */
const MAX_WAITING = 32;

export class RealtimeSocket implements SocketTalk {
  readonly #opened: OpenedSocket;
  readonly #sockets: OpenSockets;
  readonly #serving: Serving;
  readonly #session: RealtimeSession;
  #waiting = 0;
  #readOn: (() => void) | undefined;

  constructor(opened: OpenedSocket, serving: Serving, sockets: OpenSockets) {
    this.#opened = opened;
    this.#serving = serving;
    this.#sockets = sockets;
    const { connection, request, secret } = opened;
    const query = new URL(request.url ?? '/', 'http://unused').searchParams;
    const asked = query.get('model') ?? undefined;
    const terms = { model: secret?.model ?? asked, session: secret?.session };
    const refusal = refusalOf(query, oneHeader(request.headers['openai-beta']), secret);
    const client: RealtimeClient = {
      get gone() {
        return connection.gone;
      },
      call: () => opened.call(connection),
      authenticate: async (call) => {
        if (refusal) throw refusal;
        return keyOf(call, secret, serving);
      },
      send: (text) => connection.send(text),
      explain: async (call, error) => {
        const { shown, body } = await explanationOf(serving, call, openaiChatClient, error);
        return { shown, error: body['error'] };
      },
      close: (code, reason) => connection.close(code, reason),
      busy: (isBusy) => {
        connection.busy = isBusy;
        if (!isBusy) sockets.used(connection);
      },
    };
    connection.talk(this);
    this.#session = new RealtimeSession(client, terms, serving.gw);
  }

  message(bytes: Buffer, memory: MemoryShare | undefined): void {
    const { connection } = this.#opened;
    this.#sockets.used(connection);
    if (++this.#waiting >= MAX_WAITING) this.#readOn ??= connection.pauseReading();
    this.#session.message(bytes, () => {
      memory?.release();
      if (--this.#waiting > 0) return;
      this.#readOn?.();
      this.#readOn = undefined;
    });
  }

  farewell(why: SocketEnd): void {
    if (why !== 'lifetime') return;
    const { connection } = this.#opened;
    const message = httpReasons.socketTooOld[this.#opened.call(connection).language];
    const error = { type: 'invalid_request_error', code: 'session_expired', message, param: null, event_id: null };
    void connection.send(JSON.stringify({ type: 'error', event_id: 'event_end', error }));
  }

  closed(): void {
    this.#session.left();
    this.#serving.gw.log.debug({ keyId: this.#opened.key.id }, 'a realtime session ended');
  }
}

/** The key is authenticated for every response: a key may be paused, or a secret's key replaced, while a session runs. */
async function keyOf(call: Call, secret: ClientSecret | undefined, { gw }: Serving): Promise<KeySnapshot> {
  return secret ? authenticateByDigest(call, secret.keyDigest, gw) : authenticate(call, gw);
}

function refusalOf(query: URLSearchParams, beta: string | undefined, secret: ClientSecret | undefined) {
  for (const name of ['intent', 'call_id']) if (query.has(name)) return invalidRequest(name, httpReasons.notInRealtime);
  const model = query.get('model');
  if (secret && model !== null && model !== secret.model)
    return invalidRequest('model', httpReasons.secretOfOtherModel);
  return beta?.includes('realtime=v1') ? invalidRequest('OpenAI-Beta', httpReasons.oldRealtime) : undefined;
}
