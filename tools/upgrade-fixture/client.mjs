/** Whoever talks to a gateway over HTTP: its operator, a person at a browser, a program with a key. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { buffer as readBytes, text as readText } from 'node:stream/consumers';

export const PUBLIC_URL = 'https://dargah.test';
export const OPERATOR_TOKEN = 'operator-token-of-the-upgrade-fixture';

export class Caller {
  constructor(origin) {
    this.origin = origin;
    this.headers = {};
  }

  async send(method, path, body) {
    const answer = await this.call(method, path, body);
    const text = await readText(answer);
    for (const cookie of answer.headers['set-cookie'] ?? []) this.headers.cookie = cookie.split(';')[0];
    const isJson = answer.headers['content-type']?.startsWith('application/json');
    return { status: answer.statusCode, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
  }

  async bytes(path) {
    const answer = await this.call('GET', path);
    if (answer.statusCode !== 200) throw new Error(`GET ${path}: ${answer.statusCode}`);
    return readBytes(answer);
  }

  async call(method, path, body) {
    const headers = { ...this.headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    // Not `fetch`, which would write a Host of its own: a browser says the public name.
    const call = request(this.origin + path, { method, headers, agent: false });
    call.end(body === undefined ? undefined : JSON.stringify(body));
    const [answer] = await once(call, 'response');
    return answer;
  }

  /** The body of an answer that has to be a good one. */
  async ask(method, path, body) {
    const answer = await this.send(method, path, body);
    if (answer.status < 400) return answer.body;
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  get = (path) => this.ask('GET', path);
  post = (path, body = {}) => this.ask('POST', path, body);
  put = (path, body) => this.ask('PUT', path, body);
  patch = (path, body) => this.ask('PATCH', path, body);
}

export class Operator extends Caller {
  headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
}

export class Program extends Caller {
  constructor(origin, key) {
    super(origin);
    this.headers = { authorization: `Bearer ${key}` };
  }

  /** Its id and its answer. */
  async chat(text, { model = 'maker/one', ...more } = {}, headers = {}) {
    const caller = new Caller(this.origin);
    caller.headers = { ...this.headers, ...headers };
    const body = { model, messages: [{ role: 'user', content: text }], max_tokens: 50, ...more };
    const answer = await caller.send('POST', '/api/v1/chat/completions', body);
    return { ...answer, id: answer.headers['x-svc-request-id'] };
  }
}

export class Browser extends Caller {
  constructor(origin, operator) {
    super(origin);
    this.operator = operator;
    this.headers = { host: new URL(PUBLIC_URL).host, origin: PUBLIC_URL, 'accept-language': 'en' };
  }

  /** By a code, which the messenger of the sandbox keeps. */
  async enter(to, more = {}) {
    const sent = async () =>
      (await this.operator.get('/api/admin/outbox?limit=200')).data.filter(
        (one) => one.to === to && one.kind === 'code',
      );
    const before = (await sent()).length;
    await this.post('/api/console/sign-in/codes', { to });
    const [message] = await until(async () => {
      const messages = await sent();
      return messages.length > before ? messages : undefined;
    });
    const code = /\b\d{6}\b/.exec(message.text)[0];
    const entered = await this.post('/api/console/sign-in/code', { to, code, ...more });
    this.headers['x-svc-account'] = entered.accounts?.[0]?.id ?? '';
    return entered;
  }
}

/** Asks until there is an answer. */
export async function until(look, timeoutMs = 30_000) {
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += 50) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited in vain: ${look}`);
}

/** The six digits of a second factor at a time (RFC 6238). */
export function oneTimeCode(secret, atMs) {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  let bits = '';
  for (const letter of secret.replaceAll('=', '')) bits += letters.indexOf(letter).toString(2).padStart(5, '0');
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(atMs / 30_000)));
  const digest = createHmac('sha1', key).update(step).digest();
  const number = digest.readUInt32BE(digest[19] & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** What Stripe sends when something happened. */
export async function stripeSays(origin, event, secret, nowMs) {
  const body = JSON.stringify(event);
  const time = Math.floor(nowMs / 1000);
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  const headers = { 'content-type': 'application/json', 'stripe-signature': `t=${time},v1=${signature}` };
  const answer = await fetch(`${origin}/pay/stripe/webhook`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`stripe's message was refused: ${answer.status}`);
}
