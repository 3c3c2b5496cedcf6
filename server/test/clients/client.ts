/** What the scenarios need of a client library. One adapter per library turns its own words into these. */
import type { JsonObject } from '../../src/core/json.ts';

export interface Question {
  model: string;
  text: string;
  image?: { mediaType: string; base64: string };
  tools?: { name: string; description: string; parameters: JsonObject }[];
  /** The answer must follow this schema. */
  schema?: JsonObject;
  /** The turn before: its calls and, in their order, what the tools said. */
  after?: { reply: Reply; results: string[] };
}

export interface ToolCall {
  id: string;
  name: string;
  arguments: unknown;
}

export interface Reply {
  text: string;
  toolCalls: ToolCall[];
  finish: 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'unknown';
  /** Cached tokens counted as input, reasoning as output, however the library counts them. */
  usage: { input: number; cached: number; output: number };
  /** The turn as the library wants it replayed. */
  native: unknown;
}

/** What the program that uses the library can tell of an error. */
export interface ClientFailure {
  status: number | undefined;
  /** Everything it was told, to look for our code in. */
  told: string;
}

export interface Access {
  /** `http://…/api/v1` */
  baseUrl: string;
  key: string;
}

export interface Client {
  ask(question: Question): Promise<Reply>;
  stream(question: Question): Promise<Reply>;
  failureOf(error: unknown): ClientFailure;
  /** It takes the input count of a stream's first event, which is an estimate by nature, and never corrects it. */
  misreadsStreamedUsage?: boolean;
}

export type OpenClient = (access: Access) => Client;

export const MAX_TOKENS = 500;

/** Enough of the error for every library that throws an APIError of the two official SDKs. */
export function apiFailure(error: unknown): ClientFailure {
  const { status, error: body, message } = error as { status?: number; error?: unknown; message?: string };
  return { status, told: `${message} ${JSON.stringify(body)}` };
}
