/** WebSockets of this server: who may open them, how many, and for how long. */
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../../config/index.ts';
import type { Serving } from '../serve.ts';
import { OpenSockets } from './open-sockets.ts';
import { SocketHandshake } from './socket-handshake.ts';
import { Upgrades } from './upgrades.ts';

/** How often connections are swept. */
const SWEEP_MS = 5_000;

export interface ServedSockets {
  serving: Serving;
  sockets: OpenSockets;
  handshake: SocketHandshake;
}

/** Must be called before any other listener for connections of the server. */
export function serveSockets(app: FastifyInstance, serving: Serving, limits: Settings['limits']): ServedSockets {
  const { maxSockets: perProcess, maxSocketsPerKey: perKey, maxBodyBytes: maxMessageBytes } = limits;
  const sockets = new OpenSockets({ perProcess, perKey }, () => serving.gw.clock.monotonicMs());
  const sweeper = setInterval(() => sockets.sweep(), SWEEP_MS);
  sweeper.unref();
  app.addHook('onClose', async () => clearInterval(sweeper));
  const handshake = new SocketHandshake({ serving, sockets, upgrades: new Upgrades(app.server), maxMessageBytes });
  return { serving, sockets, handshake };
}
