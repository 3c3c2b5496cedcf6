/** A model we know of, whether or not anybody here serves it. Prices are the maker's, in USD. */
import type { ModelKind } from '../model.ts';
import type { UsdPrice } from '../prices/toman-price.ts';

interface ListedRoute {
  vendor: string;
  /** The vendor's name of the model. */
  model: string;
  /** Set where it differs from the model's own price. */
  usd?: UsdPrice;
}

export interface ListedModel {
  /** `<vendor>/<model>`. */
  id: string;
  kind: ModelKind;
  name: string;
  usd: UsdPrice;
  context: number | undefined;
  maxOutput: number | undefined;
  hiddenTokensPerSecond?: number | undefined;
  capabilities: string[];
  categories: string[];
  /** In order of preference, the maker first. */
  routes: ListedRoute[];
}
