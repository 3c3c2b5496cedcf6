/** One turn of a conversation of the Responses protocol. */
import type { JsonObject } from '../../core/json.ts';

/** What the store needs once the answer is complete. */
export interface Turn {
  accountId: string;
  previousId: string | null;
  conversationId: string | null;
  input: JsonObject[];
  /** The items of earlier turns, which stand before the client's own. */
  earlier: JsonObject[];
  stored: boolean;
  inBackground: boolean;
}
