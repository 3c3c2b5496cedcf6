/** Ids of tool calls on their way to a provider of this protocol. */
import { splitToolSignature } from '../../tool-signature.ts';
import { cutWithDigest } from '../short-digest.ts';

/** The provider refuses longer ones. */
const MAX_CALL_ID = 64;

/** Removes the signature another protocol put in, and cuts a long id; a call and its output come out alike. */
export function providerCallId(callId: string): string {
  const { id } = splitToolSignature(callId);
  return id.length <= MAX_CALL_ID ? id : cutWithDigest(id, id, MAX_CALL_ID);
}
