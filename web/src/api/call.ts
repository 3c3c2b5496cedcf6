/**
 * Calls to our own server, typed by the server's route descriptions: `call<typeof listKeys>('GET /api/console/keys', {…})`.
 * The session is a cookie the page cannot read; the account is named in a header; no key or token is ever held here.
 */
import type { Static, TObject, TSchema } from 'typebox';

/** The part of a route's description that a call needs; `import type` brings it, so nothing of the server is bundled. */
export interface Described {
  readonly method: string;
  readonly path: string;
  readonly query?: TObject;
  readonly body?: TSchema;
  readonly result: TSchema;
}

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
type Params<D extends Described> = [ParamNames<D['path']>] extends [never]
  ? { params?: undefined }
  : { params: { [Name in ParamNames<D['path']>]: string } };
type Query<D extends Described> = D extends { readonly query: infer Q extends TObject }
  ? { query?: Static<Q> }
  : { query?: undefined };
type Body<D extends Described> = D extends { readonly body: infer B extends TSchema }
  ? { body: Static<B> }
  : { body?: undefined };

export type Input<D extends Described> = Params<D> & Query<D> & Body<D> & { signal?: AbortSignal };
export type Result<D extends Described> = Static<D['result']>;
export type Address<D extends Described> = `${D['method']} ${D['path']}`;

/** The server's refusal; its message is already in the reader's language. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  /** The field that is wrong, where one is. */
  readonly param: string | null;
  readonly requestId: string | null;

  constructor(status: number, code: string, message: string, param: string | null, requestId: string | null) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = param;
    this.requestId = requestId;
  }
}

/** Which account the calls are for; set by the switcher. */
let account: string | undefined;
let onSignedOut: () => void = () => undefined;

export function setAccountOfCalls(id: string | undefined): void {
  account = id;
}

export function accountOfCalls(): string | undefined {
  return account;
}

/** Asks the person to prove their identity; resolves to true when they did. Set by whatever can show the question. */
let askForProof: (() => Promise<boolean>) | undefined;

export function whenProofIsAsked(asker: (() => Promise<boolean>) | undefined): void {
  askForProof = asker;
}

/** When somebody last did something on this page. Polls after that do not keep the session alive. */
let touchedAt = Date.now();
const UNATTENDED_MS = 60_000;
const touched = () => {
  touchedAt = Date.now();
};
for (const kind of ['pointerdown', 'keydown', 'wheel', 'touchmove'])
  globalThis.addEventListener?.(kind, touched, { capture: true, passive: true });

export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

export async function call<D extends Described>(address: Address<D>, input: Input<D>): Promise<Result<D>> {
  const response = await request(address, input);
  return (await response.json()) as Result<D>;
}

/** For answers that are not JSON: files, exports. `onBytes` is called with how much has arrived. */
export async function fetchFile<D extends Described>(
  address: Address<D>,
  input: Input<D>,
  onBytes?: (count: number) => void,
): Promise<Blob> {
  const response = await request(address, input);
  if (onBytes === undefined || response.body === null) return response.blob();
  let count = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        count += chunk.length;
        onBytes(count);
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted, { headers: response.headers }).blob();
}

interface AnyInput {
  params?: Record<string, string> | undefined;
  query?: object | undefined;
  body?: unknown;
  signal?: AbortSignal;
}

async function request(address: string, input: AnyInput): Promise<Response> {
  try {
    return await send(address, input);
  } catch (error) {
    const isAsked = error instanceof Refused && error.code === 'proof_required';
    if (!isAsked || askForProof === undefined || !(await askForProof())) throw error;
    return send(address, input);
  }
}

async function send(address: string, input: AnyInput): Promise<Response> {
  const [method = 'GET', path = '/'] = address.split(' ');
  const { body, signal } = input;
  const response = await fetch(urlOf(path, input), {
    method,
    headers: { ...callHeaders(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (!response.ok) throw await refusalOf(response);
  return response;
}

export function callHeaders(): Record<string, string> {
  const headers: Record<string, string> = {
    accept: 'application/json',
    'accept-language': document.documentElement.lang,
  };
  if (account !== undefined) headers['x-svc-account'] = account;
  if (Date.now() - touchedAt > UNATTENDED_MS) headers['x-svc-unattended'] = '1';
  return headers;
}

function urlOf(path: string, { params, query }: AnyInput): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params?.[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  return search.size === 0 ? filled : `${filled}?${search}`;
}

export async function refusalOf(response: Response): Promise<Refused> {
  const requestId = response.headers.get('x-request-id');
  const answer = (await response.json().catch(() => undefined)) as
    | { error?: { code?: string; message?: string; param?: string | null } }
    | undefined;
  const { code = 'internal_error', message = response.statusText, param = null } = answer?.error ?? {};
  if (response.status === 401) onSignedOut();
  return new Refused(response.status, code, message, param ?? null, requestId);
}
