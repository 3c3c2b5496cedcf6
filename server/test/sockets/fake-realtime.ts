/** A provider of realtime sessions on loopback that does what the test says. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { JsonObject } from '../../src/core/json.ts';

export interface FakeSession {
  url: string;
  headers: IncomingHttpHeaders;
  received: JsonObject[];
  socket: WebSocket;
  say(event: object): void;
  closed: Promise<void>;
}

export interface FakeRealtime {
  baseUrl: string;
  sessions: FakeSession[];
  /** What is done with each event of a client; replaced by tests. */
  on: (event: JsonObject, session: FakeSession) => void;
  /** Refuses handshakes with this status. */
  refusing: number | undefined;
  close(): Promise<void>;
}

export const USAGE = {
  total_tokens: 220,
  input_tokens: 120,
  output_tokens: 100,
  input_token_details: {
    text_tokens: 20,
    audio_tokens: 100,
    cached_tokens: 50,
    cached_tokens_details: { text_tokens: 10, audio_tokens: 40 },
  },
  output_token_details: { text_tokens: 20, audio_tokens: 80 },
};

export async function startFakeRealtime(): Promise<FakeRealtime> {
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  const sessions: FakeSession[] = [];
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const fake: FakeRealtime = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    sessions,
    on: () => undefined,
    refusing: undefined,
    async close() {
      for (const { socket } of sessions) socket.terminate();
      await new Promise((done) => server.close(done));
    },
  };
  server.on('upgrade', (request, raw, head) => {
    if (fake.refusing !== undefined) {
      raw.end(`HTTP/1.1 ${fake.refusing} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, raw, head, (socket) => {
      const session: FakeSession = {
        url: request.url ?? '',
        headers: request.headers,
        received: [],
        socket,
        say: (event) => socket.send(JSON.stringify(event)),
        closed: new Promise((done) => socket.on('close', () => done())),
      };
      sessions.push(session);
      socket.on('message', (data) => {
        const event = JSON.parse(data.toString()) as JsonObject;
        session.received.push(event);
        fake.on(event, session);
      });
      const turn = { type: 'server_vad', create_response: true };
      const audio = { input: { turn_detection: turn }, output: { format: { type: 'audio/pcm', rate: 24_000 } } };
      session.say({ type: 'session.created', session: { type: 'realtime', model: 'up-rt', audio } });
    });
  });
  return fake;
}

/** Answers every `response.create` with a little text and 0.1 seconds of sound. */
export function answering(usage: object | null = USAGE) {
  let count = 0;
  return (event: JsonObject, session: FakeSession) => {
    if (event['type'] !== 'response.create') return;
    const id = `resp_${++count}`;
    session.say({ type: 'response.created', response: { id, status: 'in_progress' } });
    session.say({ type: 'rate_limits.updated', rate_limits: [{ name: 'tokens', limit: 1, remaining: 1 }] });
    session.say({ type: 'response.output_audio_transcript.delta', response_id: id, delta: 'hello there' });
    const delta = Buffer.alloc(4_800).toString('base64');
    session.say({ type: 'response.output_audio.delta', response_id: id, delta });
    session.say({ type: 'response.done', response: { id, status: 'completed', output: [{ type: 'message' }], usage } });
  };
}
