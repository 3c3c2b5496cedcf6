/**
 * The handshake. A caller without a valid key, or for whom there is no room, gets an ordinary answer of HTTP. One whose key is known
 * is let in even where a rule refuses it: only on the socket can clients read why.
 *
 * Cookies are never read here, so no page of another site can speak in the name of whoever looks at it; for browsers the key comes in
 * `Sec-WebSocket-Protocol`, which is neither logged nor answered.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Endpoint } from '@dargah/core/endpoints.ts';
import { type WebSocket, WebSocketServer } from 'ws';
import { GatewayError } from '../../core/errors.ts';
import { admitFree, authenticateByDigest, type Call, type ClientConnection, reserveFree } from '../../gateway/index.ts';
import type { ClientSecret, KeySnapshot } from '../../keys/index.ts';
import type { MemoryShare } from '../../platform/memory-budget.ts';
import type { ClientCodec } from '../../protocols/index.ts';
import { callBy, callOf } from '../incoming.ts';
import { explainError, type Serving } from '../serve.ts';
import type { OpenSockets } from './open-sockets.ts';
import { SocketConnection } from './socket-connection.ts';
import type { Upgrades } from './upgrades.ts';

/** Not imported: see `docs/performance.md`, "Starts". */
const http = process.getBuiltinModule('node:http');

/** How browsers bring a key, since their WebSockets have no headers. */
const KEY_PROTOCOL = 'openai-insecure-api-key.';
const SPOKEN = 'realtime';

export interface SocketDoorOptions {
  serving: Serving;
  sockets: OpenSockets;
  upgrades: Upgrades;
  maxMessageBytes: number;
}

export interface OpenedSocket {
  connection: SocketConnection;
  key: KeySnapshot;
  request: IncomingMessage;
  /** The client secret it was opened with, if any. */
  secret: ClientSecret | undefined;
  /** A call of its own for one message. */
  call(client: ClientConnection, body?: Buffer, memory?: MemoryShare): Call;
}

export interface SocketRoom {
  path: string;
  endpoint: Endpoint;
  codec: ClientCodec;
  enter(opened: OpenedSocket): void;
  /** The client secret that the caller sent instead of a key; rejects with the refusal of an invalid one. */
  secretOf?(call: Call): Promise<ClientSecret | undefined>;
}

interface Shaken extends Pick<OpenedSocket, 'request' | 'key' | 'secret'> {
  raw: Socket;
  socket: WebSocket;
}

export class SocketHandshake {
  readonly #options: SocketDoorOptions;
  readonly #library: WebSocketServer;

  constructor(options: SocketDoorOptions) {
    this.#options = options;
    this.#library = new WebSocketServer({
      noServer: true,
      maxPayload: options.maxMessageBytes,
      perMessageDeflate: false,
      clientTracking: false,
      // The key is never echoed.
      handleProtocols: (offered) => (offered.has(SPOKEN) ? SPOKEN : false),
    });
  }

  open(room: SocketRoom): void {
    this.#options.upgrades.at(room.path, (request, socket, head) => void this.#shakeHands(room, request, socket, head));
  }

  async #shakeHands(room: SocketRoom, request: IncomingMessage, raw: Socket, head: Buffer): Promise<void> {
    const { serving, sockets } = this.#options;
    raw.on('error', () => raw.destroy());
    const reply = new http.ServerResponse(request);
    reply.shouldKeepAlive = false;
    reply.assignSocket(raw);
    const call = { ...callOf(this.#arrival(room, request, reply), serving.addressOf, serving.gw) };
    call.keyText ??= keyInProtocols(request);
    try {
      const refusal = serving.turnedAway();
      if (refusal) throw refusal;
      const secret = await room.secretOf?.(call);
      const key = await knownKey(call, secret, serving);
      sockets.checkRoom({ keyId: key.id, owner: key.account.id });
      reply.detachSocket(raw);
      this.#library.handleUpgrade(request, raw, head, (socket) => {
        this.#enter(room, { request, raw, socket, key, secret });
      });
    } catch (error) {
      reply.on('finish', () => raw.end());
      const status = await explainError(serving, reply, call, room.codec, error);
      serving.accessLog?.answered(call, reply, status);
    }
  }

  #enter(room: SocketRoom, { request, raw, socket, key, secret }: Shaken): void {
    const { serving, sockets } = this.#options;
    const { gw, addressOf } = serving;
    const { memory, settings } = gw;
    const terms = { keyId: key.id, owner: key.account.id, memory, readerIdleMs: settings.readerIdleMs };
    const connection = new SocketConnection(socket, raw, terms);
    sockets.add(connection);
    connection.onGone(() => sockets.remove(connection));
    const keyText = keyInProtocols(request);
    room.enter({
      connection,
      key,
      request,
      secret,
      call(client, body, share) {
        const arrival = { incoming: request, endpoint: room.endpoint, body, memory: share };
        const made = callBy(arrival, client, addressOf, gw);
        // One header cannot identify many messages.
        return {
          ...made,
          keyText: made.keyText ?? keyText,
          idempotencyKey: undefined,
          contentType: 'application/json',
        };
      },
    });
  }

  #arrival({ endpoint }: SocketRoom, incoming: IncomingMessage, outgoing: ServerResponse) {
    return { incoming, outgoing, endpoint, body: undefined };
  }
}

/** The key of a caller whom its rules refuse is still known. */
async function knownKey(call: Call, secret: ClientSecret | undefined, { gw }: Serving): Promise<KeySnapshot> {
  try {
    if (!secret) return await admitFree(call, gw);
    const key = await authenticateByDigest(call, secret.keyDigest, gw);
    await reserveFree(call, key, gw);
    return key;
  } catch (error) {
    const { key } = call.metadata;
    if (key && error instanceof GatewayError && error.status === 403) return key;
    throw error;
  }
}

function keyInProtocols({ headers }: IncomingMessage): string | undefined {
  const offered = headers['sec-websocket-protocol']?.split(',', 16) ?? [];
  const found = offered.map((one) => one.trim()).find((one) => one.startsWith(KEY_PROTOCOL));
  return found?.slice(KEY_PROTOCOL.length) || undefined;
}
