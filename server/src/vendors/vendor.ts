/**
 * A vendor is data: the protocol it speaks, its address, how it authenticates, and the named ways in which it departs
 * from that protocol. A new vendor is one such file and one line in index.ts.
 */

import type { AuthScheme, ProtocolId } from '@dargah/core/catalog-terms.ts';
import type { Text } from '@dargah/core/text.ts';
import type { Json } from '../core/json.ts';
import type { Quirks } from '../protocols/index.ts';
import type { Cloud } from './cloud.ts';

export { AUTH_SCHEMES, type AuthScheme } from '@dargah/core/catalog-terms.ts';

/**
 * A deviation of some of a vendor's models; the quirks of every matching rule replace those of the vendor, in order.
 */
interface ModelRule {
  /** Tested against the vendor's own name of the model. */
  match: RegExp;
  quirks: Quirks;
}

/** How a model server on the operator's own machine is found and asked for its models. */
interface Discovery {
  /** Appended to the base address. */
  path: string;
  /** Model names in its answer; undefined when the answer is not from such a server. */
  readModels(answer: Json): string[] | undefined;
}

interface Door {
  /** The vendor whose models these are. */
  to: string;
  /** Their names here; undefined where only the customer knows them. */
  nameOf(model: string): string | undefined;
  /** All of them are served without being set up, so the environment need not name them. */
  all?: true;
}

export interface Vendor {
  id: string;
  name: Text;
  protocol: ProtocolId;
  /** undefined: every customer has an address of their own, set by `baseUrlEnv`. */
  baseUrl: string | undefined;
  auth: AuthScheme;
  /** Environment variables with the secret; the first one set counts. Its presence switches the vendor on. */
  keyEnv: string[];
  /** Environment variable that replaces the base address (a proxy, a region, a local server). */
  baseUrlEnv: string | undefined;
  headers?: Record<string, string>;
  quirks: Quirks;
  modelRules?: ModelRule[];
  discovery?: Discovery;
  /**
   * A variable that maps models of the list to the names they are served under: `model=name,model2=…`. If several
   * vendors share a variable, the first that serves the model gets it.
   */
  deploymentsEnv?: string;
  /** Models have names that the customer chose, so the vendor's own list of models is of no use. */
  ownNames?: true;
  /** It serves the models of another vendor, at that vendor's prices. */
  door?: Door;
  cloud?: Cloud;
  transport?: 'http' | 'sandbox';
}
