/** The catalog as operators see it: the fields of the YAML file, with who manages the entry and whether it is on. */
import { money, toTomanText } from '../../core/money.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { findVendor } from '../../vendors/index.ts';
import type { CredentialRow, GroupRow, ModelRow, ProviderRow, RouteRow } from '../catalog-rows.ts';
import { policyOf } from '../data-policy.ts';
import { shippedDescription } from '../descriptions.ts';
import { type RatesText, REQUEST_FIELD, type UnitTexts } from '../prices/price-fields.ts';
import type { PriceRow } from '../prices/price-rows.ts';
import type { TermsText } from '../prices/price-terms.ts';
import { egressView, openEgress } from '../provider-egress.ts';
import { renderQuirks, renderTimeouts } from '../reading/index.ts';
import { stateOf } from './states.ts';

/** The part of a provider that can be sent back as input. No view contains secrets. */
export function providerInput(row: ProviderRow) {
  return {
    id: row.id,
    ...(findVendor(row.vendor) && { vendor: row.vendor }),
    protocol: row.protocol,
    base_url: row.base_url,
    auth: row.auth,
    headers: row.headers,
    quirks: renderQuirks(row.quirks),
    timeouts: renderTimeouts(row.timeouts),
    max_concurrent: row.max_concurrent,
    ...(row.data_policy !== null && { data_policy: row.data_policy }),
  };
}

export function providerView(row: ProviderRow, credentials: CredentialRow[], secrets: SecretBox) {
  return {
    ...providerInput(row),
    ...egressView(openEgress(row.egress, secrets)),
    vendor: row.vendor,
    data_policy: policyOf(row),
    data_policy_source: row.data_policy === null ? ('vendor' as const) : ('operator' as const),
    transport: row.transport,
    enabled: row.enabled,
    state: stateOf(row),
    present: row.present,
    tested_at: row.tested_at?.toISOString() ?? null,
    tested_ok: row.tested_ok,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    managed_by: row.managed_by,
    created_at: row.created_at.toISOString(),
    credentials: credentials.map(credentialView),
  };
}

function credentialView({ id, label, last4, managed_by, created_at }: CredentialRow) {
  return { id, label, last4, managed_by, created_at: created_at.toISOString() };
}

export function modelInput(row: ModelRow) {
  const { kind, name, name_fa, context, max_output, hidden_tokens_per_second, capabilities, categories, hedge } = row;
  return { kind, name, name_fa, context, max_output, hidden_tokens_per_second, capabilities, categories, hedge };
}

export function modelRecord(row: ModelRow, routes: RouteRow[], price: PriceRow | undefined) {
  return {
    id: row.id,
    ...modelInput(row),
    description_fa: row.description_fa,
    description_en: row.description_en,
    shipped_description: shippedDescription(row.id) ?? null,
    simulated: row.simulated,
    enabled: row.enabled,
    state: stateOf(row),
    managed_by: row.managed_by,
    retires_at: row.retires_at?.toISOString() ?? null,
    successor: row.successor,
    created_at: row.created_at.toISOString(),
    price: price ? priceView(price) : null,
    routes: routes.map(routeView),
  };
}

function routeView(row: RouteRow) {
  const { provider_id: provider, upstream_model: model, priority, weight, managed_by } = row;
  return {
    provider,
    model,
    priority,
    weight,
    quirks: renderQuirks(row.quirks),
    cost: costView(row.cost),
    cost_source: row.cost === null ? null : row.cost_source,
    max_concurrent: row.max_concurrent,
    requests_per_minute: row.requests_per_minute,
    tokens_per_minute: row.tokens_per_minute,
    state: stateOf(row),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    managed_by,
  };
}

function costView(cost: RatesText | null): RatesView | null {
  return cost === null ? null : ratesView(cost);
}

/**
 * The form in which a price is shown: what each unit costs, what the request costs, and what longer prompts cost
 * instead.
 */
export type RatesView = UnitTexts & {
  [REQUEST_FIELD]: string;
  tiers?: ({ above: number } & UnitTexts)[];
} & TermsText;

export function ratesView({ per_unit: perUnit, per_request: perRequest, tiers = [], terms }: RatesText): RatesView {
  const prices = { ...perUnit, [REQUEST_FIELD]: toTomanText(money(BigInt(perRequest))), ...terms };
  if (tiers.length === 0) return prices;
  return { ...prices, tiers: tiers.map((tier) => ({ above: tier.above, ...tier.per_unit })) };
}

/** Decimal text, because these are the books' own numbers. */
export function priceView(row: PriceRow) {
  return {
    version: row.version,
    model: row.model_id,
    price: ratesView(row),
    exchange_rate: row.exchange_rate,
    margin: row.margin,
    margin_layer: row.margin_layer,
    list_usd: row.list,
    effective_at: row.effective_at.toISOString(),
    source: row.source,
    pinned: row.source === 'operator',
    created_at: row.created_at.toISOString(),
  };
}

export function groupView({ id, name, name_fa, default_model, models, managed_by }: GroupRow) {
  return { id, name, name_fa, default: default_model, models, managed_by };
}

export type ProviderView = ReturnType<typeof providerView>;
export type CredentialView = ReturnType<typeof credentialView>;
export type ModelRecord = ReturnType<typeof modelRecord>;
export type PriceView = ReturnType<typeof priceView>;
export type GroupView = ReturnType<typeof groupView>;
