/** Moderation in canonical form: texts that are judged one by one, or texts and pictures that are judged together. */
import type { ServiceExtension } from '../../core/chat.ts';
import type { JsonObject } from '../../core/json.ts';

export interface ModerationRequest {
  /** The model as the client wrote it; undefined for the key's default. */
  model: string | undefined;
  /** Each is judged by itself; where there are pictures, they and the texts are judged together. They are never both empty. */
  texts: string[];
  /** Addresses or data URLs. */
  pictures: string[];
  svc: ServiceExtension;
  /** Fields of the client's body we do not model. */
  extras: JsonObject;
}

export interface Judgement {
  flagged: boolean;
  categories: Record<string, boolean | null>;
  scores: Record<string, number>;
  /** The kinds of input by which each category was judged. */
  appliedTo: Record<string, string[]>;
}

export interface ModerationResponse {
  /** One result for each text, or one in all where there are pictures. */
  results: Judgement[];
  /** Absent where the provider counts nothing, as most do. */
  inputTokens?: number;
}
