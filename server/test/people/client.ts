/**
 * A person at a browser: keeps its cookie, sends its origin, reads its codes from the sandbox messenger's outbox. Every answer
 * is also held against the OpenAPI document that the server publishes.
 */
import { expect } from 'vitest';
import { type Contract, readContract } from '../admin/contract.ts';
import type { TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';

export interface Reply<T = Record<string, unknown>> {
  status: number;
  body: T;
  headers: Headers;
}

const contracts = new WeakMap<TestGateway, Promise<Contract>>();

function contractOf(gateway: TestGateway): Promise<Contract> {
  const known = contracts.get(gateway) ?? readContract(gateway.origin, gateway.operatorToken);
  contracts.set(gateway, known);
  return known;
}

type Loose = Record<string, never>;

export class Browser {
  readonly gateway: TestGateway;
  cookie: string | undefined;
  account: string | undefined;
  language = 'en';
  /** Answers the server's question for a fresh proof with a code, as the pages do, and goes on. */
  provesAgain = true;
  /** Where a code for the proof goes. */
  to: string | undefined;

  constructor(gateway: TestGateway) {
    this.gateway = gateway;
  }

  async send<T = Loose>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply<T>> {
    const reply = await this.#ask<T>(method, path, body, headers);
    const { code } = (reply.body as { error?: { code?: string } } | undefined)?.error ?? {};
    if (code !== 'proof_required' || !this.provesAgain || this.to === undefined) return reply;
    await this.prove(this.to);
    return this.#ask<T>(method, path, body, headers);
  }

  /** By a code to a number or address of the person. */
  async prove(to: string): Promise<Reply> {
    const { body } = await this.get<{ contacts: { id: string; value: string }[] }>('/me/proof');
    const contact_id = body.contacts.find(({ value }) => value.slice(-4) === to.slice(-4))?.id;
    expect((await this.post('/me/proof/codes', { contact_id })).status).toBe(202);
    const proof = { way: 'code', contact_id, code: await codeTo(this.gateway, to) };
    return this.post('/me/proof', proof);
  }

  async #ask<T>(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Reply<T>> {
    const response = await fetch(this.gateway.origin + path, {
      method,
      headers: {
        'accept-language': this.language,
        origin: this.gateway.origin,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.cookie === undefined ? {} : { cookie: this.cookie }),
        ...(this.account === undefined ? {} : { 'x-svc-account': this.account }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const set = response.headers.get('set-cookie');
    if (set !== null) this.cookie = set.split(';')[0];
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const answer: unknown = isJson ? JSON.parse(text) : text;
    if (isJson && response.ok) (await contractOf(this.gateway)).check(method, path, response.status, answer);
    return { status: response.status, body: answer as T, headers: response.headers };
  }

  get<T = Loose>(path: string): Promise<Reply<T>> {
    return this.send<T>('GET', `/api/console${path}`);
  }

  post<T = Loose>(path: string, body: object = {}): Promise<Reply<T>> {
    return this.send<T>('POST', `/api/console${path}`, body);
  }

  patch<T = Loose>(path: string, body: object): Promise<Reply<T>> {
    return this.send<T>('PATCH', `/api/console${path}`, body);
  }

  remove<T = Loose>(path: string): Promise<Reply<T>> {
    return this.send<T>('DELETE', `/api/console${path}`);
  }

  async signIn(to: string, more: object = {}): Promise<Reply<SignedIn>> {
    this.to = to;
    expect((await this.post('/sign-in/codes', { to })).status).toBe(202);
    return this.post<SignedIn>('/sign-in/code', { to, code: await codeTo(this.gateway, to), ...more });
  }
}

export interface SignedIn {
  person: { id: string; name: string };
  accounts: { id: string; name: string; role: string }[];
  staff: string | null;
  second_factor: { ticket: string } | null;
  new_account: boolean;
}

interface Outbox {
  data: { id: string; to: string; kind: string; text: string; at: string }[];
}

export async function outbox(gateway: TestGateway): Promise<Outbox['data']> {
  const answer = await gateway.admin('GET', '/api/admin/outbox?limit=200');
  return ((await answer.json()) as Outbox).data;
}

/** Codes that were read already: the next one may still be on its way. */
const read = new WeakMap<TestGateway, Set<string>>();

/** The next code to a number or address. */
export function codeTo(gateway: TestGateway, to: string): Promise<string> {
  const seen = read.get(gateway) ?? new Set<string>();
  read.set(gateway, seen);
  return eventually(async () => {
    const messages = (await outbox(gateway)).filter((one) => one.to === to && one.kind === 'code');
    const [newest] = messages;
    if (!newest || seen.has(newest.id)) throw new Error(`no new code to ${to}`);
    for (const { id } of messages) seen.add(id);
    return /\b\d{6}\b/.exec(newest.text)?.[0] ?? '';
  });
}
