/**
 * A rule that names an unknown model would silently refuse everything, or permit nothing, so it is refused when it is
 * written.
 */
import { AUTO_MODEL } from '@dargah/core/auto-router.ts';
import { invalidRequest } from '../core/errors.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import { nearestName } from '../core/nearest-name.ts';
import { reasons } from '../core/reasons.ts';

const GROUP = 'group:';

/** The catalog, as far as rules name parts of it. */
export interface KnownModels {
  models: ReadonlyMap<string, unknown>;
  groups: ReadonlyMap<string, unknown>;
}

/** Only the given fields are checked: a model that has gone since must not prevent another change. */
function checkModelNames(rules: Json | undefined, known: KnownModels): void {
  if (!isJsonObject(rules)) return;
  const { models, default_model: defaultModel } = rules;
  const listed = Array.isArray(models) ? models : [];
  for (const [at, name] of listed.entries()) check(name, `rules.models.${at}`, known);
  check(defaultModel, 'rules.default_model', known);
}

function check(name: Json | undefined, param: string, { models, groups }: KnownModels): void {
  // A value that is not text is refused by the reader of rules.
  if (typeof name !== 'string') return;
  if (name === AUTO_MODEL && param.endsWith('default_model')) return;
  if (name.startsWith(GROUP) ? groups.has(name.slice(GROUP.length)) : models.has(name)) return;
  const near = nearestName(name, [...models.keys(), ...[...groups.keys()].map((group) => `${GROUP}${group}`)]);
  throw invalidRequest(param, near === undefined ? reasons.unknownModel(name) : reasons.unknownModelNear(name, near));
}

interface RuledService<New extends { rules?: Json }, Patch extends { rules?: Json }, Created, Updated> {
  create(input: New, actor: string): Promise<Created>;
  update(id: string, patch: Patch, actor: string): Promise<Updated>;
}

/** Wraps a service so that it refuses rules with unknown models. */
export function refusingUnknownModels<
  New extends { rules?: Json },
  Patch extends { rules?: Json },
  Created,
  Updated,
  Service extends RuledService<New, Patch, Created, Updated>,
>(service: Service, known: () => KnownModels): Service {
  return {
    ...service,
    async create(input: New, actor: string) {
      checkModelNames(input.rules, known());
      return service.create(input, actor);
    },
    async update(id: string, patch: Patch, actor: string) {
      checkModelNames(patch.rules, known());
      return service.update(id, patch, actor);
    },
  };
}
