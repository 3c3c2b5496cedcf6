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
  /** From sending a request for a whole answer to its end, because nothing arrives while it is made. */
  wholeAnswerMs: number;
  /** The longest silence inside a stream. */
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
  /** The vendor data file that it was made from, for auth scheme and quirks. */
  vendor: string;
  protocol: ProtocolId;
  baseUrl: string;
  auth: AuthScheme;
  headers: Record<string, string>;
  credentials: Credential[];
  quirks: Quirks;
  timeouts: Timeouts;
  /** The limit of running requests; beyond it a short queue forms, then the next route is tried. */
  maxConcurrent: number | null;
  /** `sandbox` answers in process, without a network. */
  transport: 'http' | 'sandbox';
  /** The egress of its calls; passwords of proxies are in clear text only here. */
  egress: EgressTerms | undefined;
  /** What it does with the data it gets; absent when nothing is stated. */
  dataPolicy?: DataPolicy;
  /** True when its address is the vendor's own, so that customers' own keys may go there. */
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
  /** Undefined when it is limited by its provider alone. */
  limits?: RouteLimits | undefined;
  /** Set when a customer's own key is used; absent for the operator's. */
  own?: { id: string; feePercent: number; fallback: boolean };
  /** What its probes proved; undefined when none has run. */
  conformance?: { passed: ReadonlySet<ProbeId>; failed: ReadonlySet<ProbeId> } | undefined;
}

/** A capability that at least one route of the model proved, or none did. */
export interface ProvedCapability {
  probe: ProbeId;
  passed: boolean;
  /** When it was probed last. */
  atMs: number;
}

/** The limits of one route; null means no limit. */
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
  /** A few sentences for people, ours or the operator's. */
  description?: Text;
  kind: ModelKind;
  routes: Route[];
  price: Price;
  /** The price of the charge, where `price` is only the highest possible one, which is held. */
  soldAt?: Price;
  /** The list price and rate it was made from; absent for a price that was written in toman. */
  basis?: PriceOrigin;
  /** The next announced price, and from when it applies. */
  announced?: { price: Price; basis?: PriceOrigin; fromMs: number };
  context: number | undefined;
  maxOutput: number | undefined;
  /** The measured speed of hidden reasoning. */
  hiddenTokensPerSecond?: number | undefined;
  /** Without capabilities that every route fails. */
  capabilities: ReadonlySet<string>;
  /** What its routes proved, in the order of the probes; absent when no probe has run. */
  proved?: readonly ProvedCapability[];
  /** True when one of its routes fails something, so that the routes depend on the needs of a request. */
  hasFlaws?: true;
  categories: string[];
  /** Unix seconds. */
  created: number;
  /** Operator option: start a second route when the first is slower than its p95. */
  hedge: boolean;
  /** True for the sandbox's simulators; the catalog labels them. */
  simulated: boolean;
  /** It is announced that the model is not offered from this time on. */
  withdrawnFromMs?: number;
  /** What its customers should use from then on. */
  successor?: string;
  /** True when its price comes from an unconfirmed rate and margin: it then answers only the operator's own account. */
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
  /** Withdrawn models with their successors. */
  retired?: ReadonlyMap<string, string>;
}
