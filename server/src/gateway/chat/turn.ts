/** One turn of a conversation of the Responses protocol. */
import type { JsonObject } from '../../core/json.ts';

/** What the store must know once the answer is there. */
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
