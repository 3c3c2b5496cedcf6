/** WebSockets of this server: who is let in, how many, and until when. */
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../../config/index.ts';
import type { Serving } from '../serve.ts';
import { OpenSockets } from './open-sockets.ts';
import { SocketDoor } from './socket-door.ts';
import { Upgrades } from './upgrades.ts';

/** How often connections are looked after. */
const SWEEP_MS = 5_000;

export interface ServedSockets {
  serving: Serving;
  sockets: OpenSockets;
  door: SocketDoor;
}

/** Must be called before anything else stands before the connections of the server. */
export function serveSockets(app: FastifyInstance, serving: Serving, limits: Settings['limits']): ServedSockets {
  const { maxSockets: perProcess, maxSocketsPerKey: perKey, maxBodyBytes: maxMessageBytes } = limits;
  const sockets = new OpenSockets({ perProcess, perKey }, () => serving.gw.clock.monotonicMs());
  const sweeper = setInterval(() => sockets.sweep(), SWEEP_MS);
  sweeper.unref();
  app.addHook('onClose', async () => clearInterval(sweeper));
  const door = new SocketDoor({ serving, sockets, upgrades: new Upgrades(app.server), maxMessageBytes });
  return { serving, sockets, door };
}
