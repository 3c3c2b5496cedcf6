/** A target is what a request is really sent to: a route of a model with one of its provider's credentials. */
import type { Credential, Model, Route } from '../catalog/index.ts';
import type { AskedTier } from '../core/chat.ts';

export interface Target {
  /** `<route>` or `<route>#<credential>`: the name in plans, receipts and metrics. */
  readonly id: string;
  readonly model: Model;
  readonly route: Route;
  /** undefined for providers without authentication. */
  readonly credential: Credential | undefined;
  /** The route's weight, shared among its credentials. */
  readonly weight: number;
  /** The part of its explanation that never changes. */
  readonly summary: string;
  /** Set by a plan for conversations worth binding: the target that answers is remembered under this key. */
  readonly conversation?: string;
  /** The service tier that it is asked for. */
  readonly tier?: AskedTier;
}

/** Catalog snapshots are replaced whole, so a model object never changes and its targets are computed once. */
const known = new WeakMap<Model, readonly Target[]>();

export function targetsOf(model: Model): readonly Target[] {
  let targets = known.get(model);
  if (!targets) {
    targets = model.routes.flatMap((route) => routeTargets(model, route));
    known.set(model, targets);
  }
  return targets;
}

function routeTargets(model: Model, route: Route): Target[] {
  const { credentials, auth } = route.provider;
  if (credentials.length === 0) {
    // A provider that wants a key and has none cannot answer: planning it would only waste an attempt.
    return auth === 'none' ? [makeTarget(route.id, model, route, undefined, route.weight)] : [];
  }
  return credentials.map((credential) => {
    // Health is kept by this name, and a customer's own key must not affect that of the operator's.
    const id = route.own ? `${route.id}~own` : credentials.length === 1 ? route.id : `${route.id}#${credential.id}`;
    return makeTarget(id, model, route, credential, route.weight / credentials.length);
  });
}

function makeTarget(
  id: string,
  model: Model,
  route: Route,
  credential: Credential | undefined,
  weight: number,
): Target {
  const fee = route.own ? `, own key, fee ${route.own.feePercent} %` : '';
  const summary = `${id}: priority ${route.priority}, weight ${Math.round(weight * 100) / 100}${fee}`;
  return { id, model, route, credential, weight, summary };
}
