/**
 * Responses over a WebSocket, as Codex and the official library speak it. Every `response.create` is an ordinary paid request, one at a
 * time, whose events are messages. The socket itself holds no money.
 */
import type { Answer, Sink } from '../../core/answer.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import {
  answerResponses,
  type Call,
  type ClientConnection,
  type ClientProtocol,
  ConnectionTurn,
  keepForNextMessage,
  type ResponsesTools,
  readResponsesMessage,
} from '../../gateway/index.ts';
import { JSON_MEMORY_FACTOR, type MemoryShare, noMemory } from '../../platform/memory-budget.ts';
import { refusedOnSocket, SseParser } from '../../protocols/index.ts';
import { httpReasons } from '../reasons.ts';
import { explanationOf, type Serving } from '../serve.ts';
import type { OpenSockets, SocketEnd } from './open-sockets.ts';
import type { SocketConnection, SocketTalk } from './socket-connection.ts';
import type { OpenedSocket } from './socket-handshake.ts';

/** The most messages that wait while one is answered; as many more get an error, then the connection is closed. */
const MAX_WAITING = 8;
const POLICY = 1008;

export interface ResponsesSocketParts {
  serving: Serving;
  sockets: OpenSockets;
  protocol: ClientProtocol;
  tools: ResponsesTools;
}

interface Waiting {
  bytes: Buffer;
  memory: MemoryShare | undefined;
}

export class ResponsesSocket implements SocketTalk {
  readonly #opened: OpenedSocket;
  readonly #parts: ResponsesSocketParts;
  readonly #tools: ResponsesTools;
  readonly #turn: ConnectionTurn;
  readonly #waiting: Waiting[] = [];
  #refusing = 0;

  constructor(opened: OpenedSocket, parts: ResponsesSocketParts) {
    this.#opened = opened;
    this.#parts = parts;
    this.#turn = new ConnectionTurn(parts.serving.gw.memory, opened.key.account.id);
    this.#tools = { ...parts.tools, connection: this.#turn };
    opened.connection.talk(this);
  }

  message(bytes: Buffer, memory: MemoryShare | undefined): void {
    const { connection } = this.#opened;
    if (this.#waiting.length >= MAX_WAITING) {
      memory?.release();
      this.#refuseOneMore();
      return;
    }
    this.#waiting.push({ bytes, memory });
    this.#parts.sockets.used(connection);
    if (!connection.busy) void this.#answerAll();
  }

  /** Each refusal gets a row, so a flood of messages must not become a flood of rows. */
  #refuseOneMore(): void {
    const { connection, call } = this.#opened;
    if (++this.#refusing > MAX_WAITING) {
      connection.close(POLICY, 'too many messages');
      return;
    }
    const error = invalidRequest(undefined, httpReasons.tooManyMessages(MAX_WAITING));
    void this.#explain(call(connection), error, undefined);
  }

  farewell(why: SocketEnd): void {
    if (why !== 'lifetime') return;
    // The error code at which agents open a new connection and send everything again.
    const error = { type: 'invalid_request_error', code: 'websocket_connection_limit_reached', param: null };
    const message = httpReasons.socketTooOld[this.#opened.call(this.#opened.connection).language];
    void this.#opened.connection.send(JSON.stringify({ type: 'error', status: 400, error: { ...error, message } }));
  }

  closed(): void {
    this.#turn.forget();
    for (const { memory } of this.#waiting.splice(0)) memory?.release();
  }

  async #answerAll(): Promise<void> {
    const { connection } = this.#opened;
    connection.busy = true;
    for (let next = this.#waiting.shift(); next && !connection.gone; next = this.#waiting.shift())
      await this.#answer(next);
    connection.busy = false;
    this.#refusing = 0;
    this.#parts.sockets.used(connection);
  }

  async #answer({ bytes, memory }: Waiting): Promise<void> {
    const { serving } = this.#parts;
    const { gw } = serving;
    const client = new TurnClient(this.#opened.connection);
    const call = this.#opened.call(client, bytes, memory);
    const small = memory === undefined ? bytes.length * JSON_MEMORY_FACTOR : 0;
    let counted = false;
    const marked: { id?: string } = {};
    try {
      const refusal = serving.turnedAway();
      if (refusal) throw refusal;
      counted = gw.memory.addSmall(small);
      if (!counted) throw noMemory();
      await this.#deliver(call, marked);
    } catch (error) {
      await this.#explain(call, error, marked.id);
    } finally {
      client.leave();
      if (counted) gw.memory.removeSmall(small);
      call.metadata.memory?.release();
    }
  }

  async #deliver(asked: Call, marked: { id?: string }): Promise<void> {
    const { protocol, serving } = this.#parts;
    const { gw } = serving;
    const { connection } = this.#opened;
    const told = (id: string): void => {
      marked.id = id;
    };
    const message = await readResponsesMessage(asked, told, gw);
    if (!message.generate) {
      for (const event of await keepForNextMessage(message, protocol, this.#tools, gw))
        await connection.send(withStreamId(JSON.stringify(event), marked.id));
      return;
    }
    const answer: Answer = await answerResponses(message.call, protocol, this.#tools, gw);
    if (answer.kind !== 'stream') throw new GatewayError('internal_error', { cause: 'an answer without events' });
    await answer.run(new MessageSink(connection, marked.id));
  }

  /**
   * What may succeed later, and what the client can fix, is an error with its status; a lasting refusal is a failed
   * response.
   */
  async #explain(call: Call, error: unknown, streamId: string | undefined): Promise<void> {
    const { serving, protocol } = this.#parts;
    const { shown, headers, body } = await explanationOf(serving, call, protocol.client, error);
    const { status } = shown;
    const event: JsonObject =
      shown.shouldRetry || status === 400 || status === 413 || status === 429 || status >= 500
        ? { type: 'error', status, error: errorOf(shown, body), headers: texts(headers) }
        : refusedOnSocket(shown, idOf(call, protocol), Math.floor(call.receivedAt / 1000), call.language);
    await this.#opened.connection.send(withStreamId(JSON.stringify(event), streamId));
  }
}

function idOf({ id }: Call, { responseIdPrefix }: ClientProtocol): string {
  return responseIdPrefix + id.slice(id.indexOf('_') + 1);
}

/** The one code of the protocol at which agents send everything again. */
function errorOf({ options }: GatewayError, { error }: JsonObject): JsonObject[string] {
  const unknown = options.detail?.['reason'] === 'previous_response_not_found';
  return unknown && isJsonObject(error) ? { ...error, code: 'previous_response_not_found' } : error;
}

function texts(headers: Record<string, string | number>): JsonObject {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Events of a message that named a `stream_id` are marked with it. */
function withStreamId(text: string, streamId: string | undefined): string {
  return streamId === undefined ? text : `{"stream_id":${JSON.stringify(streamId)},${text.slice(1)}`;
}

/** The client as one turn sees it; the turn's listeners are removed with it. */
class TurnClient implements ClientConnection {
  readonly #connection: SocketConnection;
  readonly #listeners: (() => void)[] = [];

  constructor(connection: SocketConnection) {
    this.#connection = connection;
  }

  get gone(): boolean {
    return this.#connection.gone;
  }

  onGone(listener: () => void): void {
    this.#listeners.push(listener);
    this.#connection.onGone(listener);
  }

  leave(): void {
    for (const listener of this.#listeners) this.#connection.offGone(listener);
  }
}

/** Takes the frames of a stream and sends the event of each as a message; keep-alive comments are left out. */
class MessageSink implements Sink {
  readonly #connection: SocketConnection;
  readonly #streamId: string | undefined;
  readonly #parser = new SseParser();

  constructor(connection: SocketConnection, streamId: string | undefined) {
    this.#connection = connection;
    this.#streamId = streamId;
  }

  get gone(): boolean {
    return this.#connection.gone;
  }

  write(data: string | Uint8Array): Promise<void> | undefined {
    let slow: Promise<void> | undefined;
    this.#parser.push(typeof data === 'string' ? Buffer.from(data) : data, ({ data: event }) => {
      if (event.startsWith('{')) slow = this.#connection.send(withStreamId(event, this.#streamId));
    });
    return slow;
  }

  end(): void {}

  cut(): void {
    this.#connection.cut();
  }
}
