/**
 * The load generator, a process of its own. It writes ready-made bytes to raw sockets and reads only what it must to know where
 * an answer ends: a client library would cost more than the servers it measures.
 *   echo '<json>' | node load.mjs   {port, path, body, headers, requests, warmup, concurrency, firstToken?}
 * `firstToken`: the text of the first token; until it came, nothing of a stream counts as an answer.
 */
import { readFileSync } from 'node:fs';
import net from 'node:net';

const { port, path, body, headers, requests, warmup, concurrency, firstToken } = JSON.parse(readFileSync(0, 'utf8'));
const head = Object.entries({
  ...headers,
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(body),
});
const bytes = Buffer.from(
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
);
const LAST_CHUNK = '0\r\n\r\n';

class Connection {
  constructor() {
    this.socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('data', (data) => this.read(data));
    this.socket.on('close', () => this.done?.(new Error('the server closed the connection')));
    this.socket.on('error', (error) => this.done?.(error));
  }

  /** Resolves with the time to the first byte of the body (or the first token) and to the last. */
  ask() {
    return new Promise((resolve, reject) => {
      this.header = '';
      this.left = -1;
      this.first = 0;
      this.tail = '';
      this.begun = performance.now();
      this.done = (error) => {
        this.done = undefined;
        if (error) reject(error);
        else resolve({ first: this.first - this.begun, all: performance.now() - this.begun });
      };
      this.socket.write(bytes);
    });
  }

  read(data) {
    if (this.left === -1) {
      this.header += data.toString('latin1');
      const end = this.header.indexOf('\r\n\r\n');
      if (end < 0) return;
      const rest = this.header.length - end - 4;
      if (!this.header.startsWith('HTTP/1.1 200')) return this.done(new Error(this.header.slice(0, 600)));
      const length = /\r\ncontent-length: (\d+)/i.exec(this.header.slice(0, end + 2));
      this.left = length ? Number(length[1]) : Number.POSITIVE_INFINITY;
      data = data.subarray(data.length - Math.min(rest, data.length));
    }
    if (data.length === 0) return;
    if (this.first === 0 && (firstToken === undefined || data.includes(firstToken))) this.first = performance.now();
    this.left -= data.length;
    if (this.left === 0) return this.done();
    if (this.left !== Number.POSITIVE_INFINITY) return;
    this.tail = (this.tail + data.toString('latin1', Math.max(0, data.length - 5))).slice(-5);
    if (this.tail === LAST_CHUNK) this.done();
  }
}

async function run(count, connections) {
  const all = new Float64Array(count);
  const first = new Float64Array(count);
  let taken = 0;
  const begun = performance.now();
  await Promise.all(
    connections.map(async (connection) => {
      while (taken < count) {
        const at = taken++;
        const times = await connection.ask();
        all[at] = times.all;
        first[at] = times.first;
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  const at = (sorted, share) => sorted[Math.min(count - 1, Math.floor(count * share))];
  all.sort();
  first.sort();
  return {
    rps: count / seconds,
    p50: at(all, 0.5),
    p99: at(all, 0.99),
    firstP50: at(first, 0.5),
    firstP99: at(first, 0.99),
  };
}

const connections = Array.from({ length: concurrency }, () => new Connection());
if (warmup > 0) await run(warmup, connections);
console.log(JSON.stringify(requests > 0 ? await run(requests, connections) : {}));
// Not `process.exit`, which on Node 24 waits for ever where the compiler waits for this thread to collect (nodejs/node#54918).
for (const { socket } of connections) socket.destroy();
