/** SMS by Kavenegar and by sms.ir. A 200 alone is no success with either: their own status in the body decides. */
import { isJsonObject, type JsonObject, parseTrustedJson } from '../core/json.ts';
import { CarryFailure, type MessageCarrier, type OutgoingMessage } from './message.ts';

export interface SmsCall {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Sends a POST within a deadline; rejects when nobody answers. */
export type PostText = (call: SmsCall) => Promise<{ status: number; text: string }>;

export interface KavenegarOptions {
  apiKey: string;
  /** An approved template with one `%token`. */
  template: string;
  sender?: string | undefined;
  origin?: string | undefined;
  post: PostText;
}

/** 418: no credit; 422: bad characters; 424: no such template; 501: only the own number; all of these stay as they are. */
const KAVENEGAR_LASTING = new Set([
  400, 401, 402, 403, 404, 405, 406, 411, 412, 413, 414, 416, 417, 418, 419, 420, 422, 424, 426, 427, 428, 431, 432,
  501,
]);

/** About this receptor or this text; anybody who signs up with a number that is none provokes them. */
const KAVENEGAR_OF_MESSAGE = new Set([400, 411, 413, 414, 417, 422]);

export function createKavenegar(options: KavenegarOptions): MessageCarrier {
  const { apiKey, template, sender, origin = 'https://api.kavenegar.com', post } = options;
  return {
    name: 'kavenegar',
    channel: 'sms',
    async carry({ to, code, text }: OutgoingMessage) {
      const method = code === undefined ? 'sms/send' : 'verify/lookup';
      const fields =
        code === undefined ? { message: text, ...(sender === undefined ? {} : { sender }) } : { token: code, template };
      // The key is part of the path, so this address is never logged nor put into an error.
      const reply = await reach('kavenegar', () =>
        post({
          url: `${origin}/v1/${encodeURIComponent(apiKey)}/${method}.json`,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ receptor: to, ...fields }).toString(),
        }),
      );
      const { status } = objectAt(jsonOf(reply.text), 'return');
      if (reply.status === 200 && status === 200) return;
      const stated = typeof status === 'number' ? status : reply.status;
      throw new CarryFailure(
        'kavenegar',
        `status ${stated}`,
        !KAVENEGAR_LASTING.has(stated),
        KAVENEGAR_OF_MESSAGE.has(stated),
      );
    },
  };
}

export interface SmsIrOptions {
  apiKey: string;
  templateId: number;
  /** What the template calls the code. */
  parameter?: string | undefined;
  line?: string | undefined;
  origin?: string | undefined;
  post: PostText;
}

export function createSmsIr(options: SmsIrOptions): MessageCarrier {
  const { apiKey, templateId, parameter = 'CODE', line, origin = 'https://api.sms.ir', post } = options;
  return {
    name: 'sms.ir',
    channel: 'sms',
    async carry({ to, code, text }: OutgoingMessage) {
      const [path, body] =
        code === undefined
          ? ['/v1/send/bulk', { lineNumber: line, messageText: text, mobiles: [to] }]
          : ['/v1/send/verify', { mobile: to, templateId, parameters: [{ name: parameter, value: code }] }];
      const reply = await reach('sms.ir', () =>
        post({
          url: `${origin}${path}`,
          headers: { 'content-type': 'application/json', accept: 'application/json', 'x-api-key': apiKey },
          body: JSON.stringify(body),
        }),
      );
      const { status } = jsonOf(reply.text);
      if (reply.status === 200 && status === 1) return;
      const lasting = reply.status === 400 || reply.status === 401;
      const isOfMessage = reply.status === 400;
      throw new CarryFailure('sms.ir', `http ${reply.status}, status ${String(status)}`, !lasting, isOfMessage);
    },
  };
}

async function reach<T>(carrier: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch {
    // The cause is not repeated: it may hold the address, and the address may hold the key.
    throw new CarryFailure(carrier, 'not reachable', true);
  }
}

function jsonOf(text: string): JsonObject {
  try {
    const value = parseTrustedJson(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function objectAt(value: JsonObject, name: string): JsonObject {
  const inner = value[name];
  return isJsonObject(inner) ? inner : {};
}
