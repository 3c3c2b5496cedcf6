/**
 * A published schema beside a decoder. What the schema refuses the decoder refuses too (a property test shows it), in better
 * words, since it knows what the fields mean: so it is asked first. Should the two ever part, the published schema holds.
 */
import type { TSchema } from 'typebox';
import type { JsonObject } from '../../core/json.ts';
import type { ClientCodec } from '../../protocols/index.ts';
import { compileGate, type Gate } from './gate.ts';

/** `more`: what a decoder needs beside the body. */
export function gated<T, More extends unknown[]>(
  schema: TSchema,
  decode: (body: JsonObject, ...more: More) => T,
): (body: JsonObject, ...more: More) => T {
  const check: Gate = compileGate(schema);
  return (body, ...more) => {
    const decoded = decode(body, ...more);
    check(body);
    return decoded;
  };
}

export function gatedClient(schema: TSchema, client: ClientCodec): ClientCodec {
  return { ...client, decodeRequest: gated(schema, (body) => client.decodeRequest(body)) };
}
