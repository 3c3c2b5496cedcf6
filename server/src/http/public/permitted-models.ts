import { isShownTo, type Model, modelFor } from '../../catalog/index.ts';
import type { Gateway } from '../../gateway/index.ts';
import { type KeySnapshot, permitsData, permitsModel, permitsPrice } from '../../keys/index.ts';

/** Only what the key may use is listed, at what its account pays. */
export function permittedModels(key: KeySnapshot, gw: Gateway): Model[] {
  const { models, groups } = gw.catalog.current();
  const permitted = [...models.values()].filter(
    (model) => isShownTo(model, key.account.id) && permitsModel(key, model.id, model.id, groups),
  );
  return permitted
    .map((model) => modelFor(model, key.account.margin))
    .filter((model) => permitsPrice(key, model) && permitsData(key, model));
}
