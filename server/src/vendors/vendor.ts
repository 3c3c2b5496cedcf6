/**
 * What a vendor is to us: data. A vendor names the protocol it speaks, where it lives, how it is paid for and in which
 * named ways it departs from that protocol. A new vendor is one such file and one line in index.ts.
 */

import type { AuthScheme, ProtocolId } from '@dargah/core/catalog-terms.ts';
import type { Text } from '@dargah/core/text.ts';
import type { Json } from '../core/json.ts';
import type { Quirks } from '../protocols/index.ts';
import type { Cloud } from './cloud.ts';

export { AUTH_SCHEMES, type AuthScheme } from '@dargah/core/catalog-terms.ts';

/** A deviation of some of a vendor's models; every matching rule is laid over the vendor's own quirks, in order. */
interface ModelRule {
  /** Tested against the vendor's own name of the model. */
  match: RegExp;
  quirks: Quirks;
}

/** How a server on the operator's own machine is found and asked what it serves. */
interface Discovery {
  /** Appended to the base address. */
  path: string;
  /** Model names in its answer; undefined when the answer is not from such a server. */
  readModels(answer: Json): string[] | undefined;
}

interface Door {
  /** Whose models. */
  to: string;
  /** Their name here; undefined where only the customer knows it. */
  nameOf(model: string): string | undefined;
  /** All of them are there without being asked for, so the environment needs to name none. */
  all?: true;
}

export interface Vendor {
  id: string;
  name: Text;
  protocol: ProtocolId;
  /** undefined: every customer has an address of their own, given by `baseUrlEnv`. */
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
  /** A variable that says under which name it serves models of the list: `model=name,model2=…`. A model goes to the first vendor of one variable. */
  deploymentsEnv?: string;
  /** Models answer under names that the customer chose, so its own list says nothing of them. */
  ownNames?: true;
  /** It serves the models of another vendor, at that one's prices. */
  door?: Door;
  cloud?: Cloud;
  transport?: 'http' | 'sandbox';
}
