/**
 * undici keeps an aborted request in its queue and opens a new connection for it, only to throw it away: every client that
 * leaves would cost a handshake and an idle socket at the provider. Destroying the socket itself ends the request for good.
 */
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import { Exchange } from './exchange.ts';

/** A client of a pool. With one call per connection, the socket of a running call is the client's only one. */
export function openOneSocketClient(origin: URL, options: Client.Options): Dispatcher {
  const connect = options.connect as buildConnector.connector;
  let socket: Socket | TLSSocket | null = null;
  const client = new Client(origin, {
    ...options,
    connect: (target, done) => {
      connect(target, (...result) => {
        socket = result[1];
        done(...result);
      });
    },
  });
  const dropSocket = () => {
    // On HTTP/2 only the stream is reset; the connection stays for the next call.
    if (!socket || ('alpnProtocol' in socket && socket.alpnProtocol === 'h2')) return false;
    socket.destroy(new Error('the call was aborted'));
    return true;
  };
  const dispatch = client.dispatch.bind(client);
  client.dispatch = (call: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => {
    if (handler instanceof Exchange) handler.onClient(dropSocket);
    return dispatch(call, handler);
  };
  return client;
}
