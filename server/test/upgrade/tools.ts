/** The clients that filled the fixtures, with the types that tests need of them. */
import { fileURLToPath } from 'node:url';

export const tools = (name: string) =>
  fileURLToPath(new URL(`../../../tools/upgrade-fixture/${name}`, import.meta.url));

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: never;
}
export interface Caller {
  send(method: string, path: string, body?: object): Promise<Answer>;
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body?: object): Promise<T>;
  patch<T>(path: string, body: object): Promise<T>;
}
export interface Program extends Caller {
  chat(text: string, more?: object): Promise<Answer & { id: string }>;
}
export interface Outside {
  origin: string;
  seen: { path: string; authorization: string | undefined; body: string }[];
  close(): Promise<void>;
}
interface Clients {
  Operator: new (origin: string) => Caller;
  Browser: new (origin: string, operator?: Caller) => Caller;
  Program: new (origin: string, key: string) => Program;
  OPERATOR_TOKEN: string;
  PUBLIC_URL: string;
  oneTimeCode(secret: string, atMs: number): string;
}
interface Reader {
  readState(origin: string, of: { key: string; requests: readonly string[] }): Promise<State>;
}
export interface State {
  wallets: Record<string, string>;
  receipts: Record<string, object>;
  orders: object[];
  transfers: { id: string; kind: string; amount: string }[];
  papers: Record<string, object>;
  models: object[];
}
interface Passkeys {
  signIn(passkey: object, options: object, origin: string, userHandle: string): object;
}

export const { Operator, Browser, Program, OPERATOR_TOKEN, PUBLIC_URL, oneTimeCode } = (await import(
  tools('client.mjs')
)) as Clients;
export const { readState } = (await import(tools('expect.mjs'))) as Reader;
export const { openOutside } = (await import(tools('outside.mjs'))) as { openOutside(): Promise<Outside> };
export const { signIn } = (await import(tools('passkey.mjs'))) as Passkeys;
