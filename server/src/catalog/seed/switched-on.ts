/**
 * Vendors that the environment switches on: by a secret in their variable, or by a server that was found on this
 * machine.
 */
import { isSignedScheme } from '@dargah/core/catalog-terms.ts';
import { normalCredential } from '../../core/cloud-credentials.ts';
import { type CloudSecret, findVendor, modelQuirks, VENDORS, type Vendor } from '../../vendors/index.ts';
import { guessedKind } from '../guessed-kind.ts';
import type { Rates } from '../prices/price-fields.ts';
import { marginFor, type PricingTerms } from '../prices/pricing-terms.ts';
import { ratesFromUsd } from '../prices/toman-price.ts';
import { USUAL_EGRESS } from '../provider-egress.ts';
import type { DeclaredModel, DeclaredProvider, DeclaredRoute } from './declared.ts';
import type { FoundServer } from './discover.ts';
import type { ListedModel } from './listed-model.ts';
import { listedModels } from './listed-models.ts';
import { baseUrlOf, type Environment } from './vendor-address.ts';

/** Every vendor whose secret is set and whose address is known. */
export function switchedOnProviders(env: Environment): DeclaredProvider[] {
  return VENDORS.flatMap((vendor) => {
    const found = secretIn(vendor, env);
    const baseUrl = found && baseUrlOf(vendor, env, found.secret);
    if (found === undefined || baseUrl === undefined) return [];
    const quirks = { ...vendor.quirks, ...vendor.cloud?.quirksAt?.(baseUrl, env) };
    return [{ ...declareProvider(vendor, baseUrl, [found.secret]), auth: found.auth, quirks }];
  });
}

function secretIn(vendor: Vendor, env: Environment): CloudSecret | undefined {
  if (!vendor.cloud) {
    const secret = vendor.keyEnv.map((name) => env[name]?.trim()).find((value) => value !== undefined && value !== '');
    return secret === undefined ? undefined : { auth: vendor.auth, secret };
  }
  const found = vendor.cloud.secretIn(env);
  if (!found || !isSignedScheme(found.auth)) return found;
  // A secret that cannot be read would only fail at the first request.
  const secret = normalCredential(found.auth, found.secret);
  return secret === undefined ? undefined : { auth: found.auth, secret };
}

export function declareProvider(vendor: Vendor, baseUrl: string, secrets: string[]): DeclaredProvider {
  return {
    id: vendor.id,
    vendor: vendor.id,
    protocol: vendor.protocol,
    baseUrl,
    auth: vendor.auth,
    headers: vendor.headers ?? {},
    quirks: vendor.quirks,
    timeouts: {},
    maxConcurrent: null,
    transport: vendor.transport ?? 'http',
    egress: USUAL_EGRESS,
    secrets,
  };
}

interface ServedTerms {
  env: Environment;
  terms: PricingTerms;
  /** The shipped list unless another is in force. */
  list?: readonly ListedModel[] | undefined;
  /** Models that the operator's own routes serve, whatever the environment does. */
  chosen?: ReadonlySet<string> | undefined;
}

/** The listed models that at least one of these providers serves, or a route of the operator's, priced in toman. */
export function modelsServedBy(
  providers: DeclaredProvider[],
  { env, terms, list = listedModels(), chosen = new Set() }: ServedTerms,
): DeclaredModel[] {
  const present = new Set(providers.map((provider) => provider.id));
  const doors = VENDORS.filter(({ id, deploymentsEnv }) => deploymentsEnv !== undefined && present.has(id));
  const named = new Map(doors.map(({ deploymentsEnv = '' }) => [deploymentsEnv, namesIn(env[deploymentsEnv] ?? '')]));
  return list.flatMap((listed) => {
    const routes = listed.routes.flatMap((route, order) =>
      present.has(route.vendor) ? [declareRoute(listed, route, order + 1, terms)] : [],
    );
    routes.push(...doorRoutes(listed, doors, named, routes.length + 1, terms));
    return routes.length === 0 && !chosen.has(listed.id) ? [] : [declareModel(listed, routes, terms)];
  });
}

function declareModel(listed: ListedModel, routes: DeclaredRoute[], terms: PricingTerms): DeclaredModel {
  const { id, kind, name, context, maxOutput, hiddenTokensPerSecond, capabilities, categories } = listed;
  const { exchangeRate } = terms;
  const { margin, layer } = marginFor(terms, id);
  const rates = ratesFromUsd(listed.usd, { exchangeRate, margin });
  return {
    id,
    kind,
    name,
    nameFa: undefined,
    context,
    maxOutput,
    hiddenTokensPerSecond,
    capabilities,
    categories,
    hedge: false,
    simulated: false,
    rates,
    basis: { usd: listed.usd, exchangeRate, margin, layer },
    routes,
  };
}

/** What the provider charges us: the list price without our margin. */
function costOf(usd: ListedModel['usd'], terms: PricingTerms): Rates {
  return ratesFromUsd(usd, { ...terms, margin: '0' });
}

function declareRoute(
  listed: ListedModel,
  route: ListedModel['routes'][number],
  priority: number,
  terms: PricingTerms,
): DeclaredRoute {
  const vendor = findVendor(route.vendor);
  const quirks = vendor ? modelQuirks(vendor, route.model) : {};
  const cost = costOf(route.usd ?? listed.usd, terms);
  return { provider: route.vendor, model: route.model, priority, weight: 1, quirks, cost };
}

/**
 * Routes to a listed model through clouds, by the name that the environment gives it or by the one that follows from
 * its maker's.
 */
function doorRoutes(
  listed: ListedModel,
  doors: readonly Vendor[],
  named: ReadonlyMap<string, ReadonlyMap<string, string>>,
  priority: number,
  terms: PricingTerms,
): DeclaredRoute[] {
  const routes: DeclaredRoute[] = [];
  const taken = new Set<string>();
  for (const vendor of doors) {
    const { id, door, deploymentsEnv = '' } = vendor;
    const made = door && listed.routes.find((route) => route.vendor === door.to);
    if (taken.has(deploymentsEnv) || (door && !made)) continue;
    const model = named.get(deploymentsEnv)?.get(listed.id) ?? (made && door?.all && door.nameOf(made.model));
    if (!model) continue;
    taken.add(deploymentsEnv);
    const quirks = modelQuirks(vendor, made?.model ?? model);
    const cost = made && costOf(made.usd ?? listed.usd, terms);
    routes.push({ provider: id, model, priority: priority + routes.length, weight: 1, quirks, cost });
  }
  return routes;
}

/**
 * Reads `gpt-4o=my-deployment,gpt-5,anthropic/claude-opus-4-6=name`: public id → its name at the cloud. A name without
 * a maker is OpenAI's.
 */
function namesIn(text: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const item of text.split(',')) {
    const [model = '', name = model] = item.split('=').map((half) => half.trim());
    if (model !== '' && name !== '') names.set(model.includes('/') ? model : `openai/${model}`, name);
  }
  return names;
}

/** Models of servers on the operator's own machine. Their price is the operator's choice, because no list has one. */
export function localModels(servers: FoundServer[], rates: Rates): DeclaredModel[] {
  return servers.flatMap(({ vendor, models }) =>
    models.map((name) => ({
      id: `${vendor.id}/${name.replaceAll('/', '-')}`,
      kind: guessedKind(name),
      name,
      nameFa: undefined,
      context: undefined,
      maxOutput: undefined,
      capabilities: guessedKind(name) !== 'chat' ? [] : ['json_object', 'streaming', 'tools'],
      categories: ['economical'],
      hedge: false,
      simulated: false,
      rates,
      routes: [
        {
          provider: vendor.id,
          model: name,
          priority: 1,
          weight: 1,
          quirks: modelQuirks(vendor, name),
          cost: undefined,
        },
      ],
    })),
  );
}
