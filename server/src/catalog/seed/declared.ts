/**
 * The form of everything that start-up puts into the catalog: the YAML file, the environment and our own list are
 * converted to it.
 */
import type { DataPolicy } from '@dargah/core/data-policy.ts';
import type { ProtocolId } from '../../core/chat.ts';
import type { Quirks } from '../../protocols/index.ts';
import type { AuthScheme, ModelKind, RouteLimits, Timeouts } from '../model.ts';
import type { Rates } from '../prices/price-fields.ts';
import type { PriceBasis } from '../prices/pricing-terms.ts';
import type { DeclaredEgress } from '../provider-egress.ts';

export type ManagedBy = 'config' | 'environment' | 'catalog' | 'operator';

export interface DeclaredProvider {
  id: string;
  vendor: string;
  protocol: ProtocolId;
  baseUrl: string;
  auth: AuthScheme;
  headers: Record<string, string>;
  quirks: Quirks;
  /** Only what differs from the operator's defaults. */
  timeouts: Partial<Timeouts>;
  maxConcurrent: number | null;
  transport: 'http' | 'sandbox';
  egress: DeclaredEgress;
  /** Null when what is shipped about its vendor applies. */
  dataPolicy?: DataPolicy | null;
  /** In clear text; encrypted before they are stored. */
  secrets: string[];
}

export interface DeclaredRoute {
  provider: string;
  /** The provider's name of the model. */
  model: string;
  priority: number;
  weight: number;
  quirks: Quirks;
  cost: Rates | undefined;
  limits?: RouteLimits | undefined;
}

export interface DeclaredModel {
  id: string;
  kind: ModelKind;
  name: string;
  nameFa: string | undefined;
  context: number | undefined;
  maxOutput: number | undefined;
  hiddenTokensPerSecond?: number | undefined;
  capabilities: string[];
  categories: string[];
  hedge: boolean;
  simulated: boolean;
  rates: Rates;
  /** Set where the rates were made from a list price. */
  basis?: PriceBasis;
  routes: DeclaredRoute[];
}

export interface DeclaredGroup {
  id: string;
  name: string;
  nameFa: string | undefined;
  defaultModel: string;
  models: string[];
}

export interface Declaration {
  providers: DeclaredProvider[];
  models: DeclaredModel[];
  groups: DeclaredGroup[];
}
