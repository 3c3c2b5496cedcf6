/** Real proxies on loopback, scriptable: an HTTP CONNECT proxy and a SOCKS5 server. What went through them is kept. */
import net, { type AddressInfo, type Socket } from 'node:net';

export interface TestProxy {
  /** `host:port` */
  address: string;
  /** Destinations in the order they were asked for, as the client wrote them. */
  asked: string[];
  /** From now on it behaves so. */
  behave(how: 'well' | 'silent' | 'refuse' | 'garbage'): void;
  close(): Promise<void>;
}

export interface ProxyTerms {
  username?: string;
  password?: string;
  /** Names that only this proxy can resolve. */
  names?: Record<string, string>;
}

type Serve = (socket: Socket, proxy: { asked: string[]; how: () => string; terms: ProxyTerms }) => Promise<void>;

async function start(serve: Serve, terms: ProxyTerms): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  const asked: string[] = [];
  let how = 'well';
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    serve(socket, { asked, how: () => how, terms }).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    behave: (next) => {
      how = next;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export const startConnectProxy = (terms: ProxyTerms = {}): Promise<TestProxy> =>
  start(async (socket, { asked, how, terms: { username, password, names = {} } }) => {
    const head = await take(socket, (bytes) => {
      const end = bytes.indexOf('\r\n\r\n');
      return end < 0 ? undefined : end + 4;
    });
    const text = head.toString('latin1');
    const [, host = '', port = ''] = /^CONNECT \[?([^\]\s]+?)\]?:(\d+) HTTP\/1\.1\r\n/.exec(text) ?? [];
    asked.push(`${host}:${port}`);
    if (how() === 'silent') return;
    if (how() === 'garbage') return void socket.end('this is not a proxy\r\n\r\n');
    if (how() === 'refuse') return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    const wanted = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    if (username !== undefined && !text.includes(`Proxy-Authorization: ${wanted}\r\n`))
      return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    join(socket, names[host] ?? host, Number(port), 'HTTP/1.1 200 Connection established\r\n\r\n');
  }, terms);

export const startSocksProxy = (terms: ProxyTerms = {}): Promise<TestProxy> =>
  start(async (socket, { asked, how, terms: { username, password, names = {} } }) => {
    const hello = await take(socket, (bytes) => (bytes.length > 1 ? 2 + (bytes[1] ?? 0) : undefined));
    if (how() === 'silent') return;
    if (how() === 'garbage') return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    const method = username === undefined ? 0 : hello.subarray(2).includes(2) ? 2 : 255;
    socket.write(Buffer.from([5, method]));
    if (method === 255) return void socket.end();
    if (method === 2) {
      const given = await take(socket, (bytes) => {
        const name = bytes[1];
        const pass = name === undefined ? undefined : bytes[2 + name];
        return name === undefined || pass === undefined ? undefined : 3 + name + pass;
      });
      const name = given.subarray(2, 2 + (given[1] ?? 0)).toString();
      const pass = given.subarray(3 + (given[1] ?? 0)).toString();
      const right = name === username && pass === password;
      socket.write(Buffer.from([1, right ? 0 : 1]));
      if (!right) return void socket.end();
    }
    const order = await take(socket, (bytes) => {
      const length = bytes[3] === 1 ? 4 : bytes[3] === 4 ? 16 : bytes[3] === 3 ? 1 + (bytes[4] ?? 999) : undefined;
      return length === undefined ? undefined : 4 + length + 2;
    });
    const kind = order[3];
    const host =
      kind === 1
        ? order.subarray(4, 8).join('.')
        : kind === 3
          ? order.subarray(5, 5 + (order[4] ?? 0)).toString()
          : 'ipv6';
    const port = order.readUInt16BE(order.length - 2);
    asked.push(`${host}:${port}`);
    if (how() === 'refuse') return void socket.end(Buffer.from([5, 5, 0, 1, 0, 0, 0, 0, 0, 0]));
    join(socket, names[host] ?? host, port, Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
  }, terms);

/** Reads until `enough` says how many bytes make a message; the rest goes back. */
function take(socket: Socket, enough: (bytes: Buffer) => number | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const more = (piece: Buffer) => {
      bytes = Buffer.concat([bytes, piece]);
      const length = enough(bytes);
      if (length === undefined || bytes.length < length) return;
      socket.off('data', more);
      socket.pause();
      if (bytes.length > length) socket.unshift(bytes.subarray(length));
      resolve(bytes.subarray(0, length));
    };
    socket.on('data', more).resume();
    socket.once('close', () => reject(new Error('closed')));
  });
}

function join(socket: Socket, host: string, port: number, welcome: string | Buffer): void {
  const destination = net.connect({ host, port }, () => {
    socket.write(welcome);
    destination.pipe(socket);
    socket.pipe(destination);
  });
  destination.on('error', () => socket.destroy());
  socket.on('error', () => destination.destroy());
}
