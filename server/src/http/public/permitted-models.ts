import { autoModel, isShownTo, type Model, modelFor } from '../../catalog/index.ts';
import type { Gateway } from '../../gateway/index.ts';
import { type KeySnapshot, permitsData, permitsModel, permitsPrice } from '../../keys/index.ts';

/** `auto`, where the service offers it and the key may use one of its models. */
export function permittedAuto(permitted: readonly Model[], gw: Gateway): Model | undefined {
  const { autoModels } = gw.settings;
  if (autoModels.length === 0) return undefined;
  return autoModel(permitted.filter(({ id }) => autoModels.includes(id)));
}

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
