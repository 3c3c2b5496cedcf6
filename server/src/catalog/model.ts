/** The catalog as the request path sees it: immutable snapshots, replaced whole when something changes. */

import type { AuthScheme, ProtocolId } from '@dargah/core/catalog-terms.ts';
import type { DataPolicy } from '@dargah/core/data-policy.ts';
import type { ModelKind } from '@dargah/core/model-kinds.ts';
import type { ProbeId } from '@dargah/core/probes.ts';
import type { Text } from '@dargah/core/text.ts';
import type { Price } from '../core/price.ts';
import type { EgressTerms } from '../platform/upstream/index.ts';
import type { Quirks } from '../protocols/index.ts';
import type { UsdPrice } from './prices/toman-price.ts';

export { type AuthScheme, CAPABILITIES, type Capability } from '@dargah/core/catalog-terms.ts';
export type { ModelKind } from '@dargah/core/model-kinds.ts';

export const CATEGORIES = [
  'popular',
  'coding',
  'content-generation',
  'economical',
  'vision',
  'audio',
  'reasoning',
] as const;

export interface Timeouts {
  connectMs: number;
  /** From sending the request to the first real event. */
  firstEventMs: number;
  /** From sending a request for a whole answer to its end: nothing is heard of one while it is made. */
  wholeAnswerMs: number;
  /** Longest silence inside a stream. */
  idleMs: number;
  totalMs: number;
}

/** One secret of a provider; a provider may have several to spread load over. */
export interface Credential {
  id: string;
  /** In clear only here, in memory. Encrypted at rest. Never logged. */
  secret: string;
}

export interface Provider {
  id: string;
  /** Vendor data file it was made from, for auth scheme and quirks. */
  vendor: string;
  protocol: ProtocolId;
  baseUrl: string;
  auth: AuthScheme;
  headers: Record<string, string>;
  credentials: Credential[];
  quirks: Quirks;
  timeouts: Timeouts;
  /** Running requests at once; beyond it a short queue, then the next route. */
  maxConcurrent: number | null;
  /** `sandbox` answers in process, without a network. */
  transport: 'http' | 'sandbox';
  /** How it is reached; passwords of proxies in clear, only here. */
  egress: EgressTerms | undefined;
  /** What it does with what it is sent; absent: nothing is stated. */
  dataPolicy?: DataPolicy;
  /** It is reached at its vendor's own address, so customers' own keys may go there. */
  takesOwnKeys?: boolean;
}

export interface Route {
  /** `<provider>:<upstream model>`, unique within its model. */
  id: string;
  provider: Provider;
  /** The provider's name of the model. */
  upstreamModel: string;
  /** Lower first. */
  priority: number;
  weight: number;
  quirks: Quirks;
  /** What the provider charges us, micro-toman per unit; undefined when unknown. For price routing and the operator's books. */
  cost: Price | undefined;
  /** Undefined: it carries whatever its provider does. */
  limits?: RouteLimits | undefined;
  /** A customer's own key asks it; absent: the operator's. */
  own?: { id: string; feePercent: number; fallback: boolean };
  /** What it was asked to prove; undefined: nothing yet. */
  conformance?: { passed: ReadonlySet<ProbeId>; failed: ReadonlySet<ProbeId> } | undefined;
}

/** What was proved of a model: by one of its routes at least, or by none. */
export interface ProvedCapability {
  probe: ProbeId;
  passed: boolean;
  /** When it was asked last. */
  atMs: number;
}

/** What one route may carry; null: no limit. */
export interface RouteLimits {
  maxConcurrent: number | null;
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
}

export interface PriceOrigin {
  usd: UsdPrice;
  exchangeRate: string;
}

export interface Model {
  /** `<vendor>/<model>`. */
  id: string;
  vendor: string;
  name: string;
  nameFa?: string;
  /** Of a few sentences, for people; ours or the operator's. */
  description?: Text;
  kind: ModelKind;
  routes: Route[];
  price: Price;
  /** What a charge is made by, where `price` is only the most that may come and is held. */
  soldAt?: Price;
  /** The list price and rate it was made from; absent for a price that was written in toman. */
  basis?: PriceOrigin;
  /** The next price that is announced, and from when. */
  announced?: { price: Price; basis?: PriceOrigin; fromMs: number };
  context: number | undefined;
  maxOutput: number | undefined;
  /** How fast it thinks unseen, where that was measured. */
  hiddenTokensPerSecond?: number | undefined;
  /** Without those that every route fails. */
  capabilities: ReadonlySet<string>;
  /** What its routes proved, in the order of the probes; absent: nothing was asked. */
  proved?: readonly ProvedCapability[];
  /** One of its routes fails something, so that a request's needs decide over routes. */
  hasFlaws?: true;
  categories: string[];
  /** Unix seconds. */
  created: number;
  /** Operator option: start a second route when the first is slower than its p95. */
  hedge: boolean;
  /** True for the sandbox's simulators; the catalog labels them. */
  simulated: boolean;
  /** It is announced that it is not offered from then on. */
  withdrawnFromMs?: number;
  /** What its customers should use from then on. */
  successor?: string;
  /** Its price comes from a rate and a margin that nobody has confirmed yet: it answers only the operator's own account. */
  notForSale?: boolean;
}

export interface Group {
  id: string;
  name: string;
  nameFa?: string;
  defaultModel: string;
  models: ReadonlySet<string>;
}

export interface CatalogSnapshot {
  models: ReadonlyMap<string, Model>;
  groups: ReadonlyMap<string, Group>;
  providers: ReadonlyMap<string, Provider>;
  /** Models that are gone, with what follows each of them. */
  retired?: ReadonlyMap<string, string>;
}
