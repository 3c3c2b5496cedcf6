/** The filter of the catalog. All of it is in the address, so that a view can be shared. */

import { latinDigits, searchForm } from '@dargah/core/persian-text.ts';
import type { CatalogSnapshot, Model } from '../../../catalog/index.ts';
import { DATA_CHOICES, meetsChoices } from './model-data.ts';
import { NOTED } from './model-labels.ts';
import { lineOf, type MessageSize, mainBucket, thousandMessages, USUAL_MESSAGE } from './model-price.ts';

export type ShownCatalog = Pick<CatalogSnapshot, 'models'>;

export const SORTS = ['usual', 'cheap', 'dear', 'context', 'new', 'name'] as const;
export type Sort = (typeof SORTS)[number];

/** The highest price, in toman for a thousand messages. */
export const PRICE_STEPS = [10_000, 50_000, 100_000, 250_000, 500_000, 1_000_000];
/** The smallest context, in tokens. */
export const CONTEXT_STEPS = [32_000, 128_000, 200_000, 400_000, 1_000_000];

export interface CatalogQuestion {
  search: string;
  /** Several of each may be chosen: any of the kinds, uses and makers, but all of the capabilities. */
  kind: readonly string[];
  category: readonly string[];
  capability: readonly string[];
  vendor: readonly string[];
  /** All of these data terms, met by one of its routes. */
  data: readonly string[];
  price: number | undefined;
  context: number | undefined;
  sort: Sort;
  size: MessageSize;
}

const MAX_TEXT = 100;
/** More than there are makers; further ones are ignored. */
const MAX_CHOSEN = 40;
const MAX_TOKENS = 10_000_000;

export function readCatalogQuestion(query: URLSearchParams): CatalogQuestion {
  const get = (name: string) => (query.get(name) ?? '').trim().slice(0, MAX_TEXT);
  const several = (name: string) =>
    [...new Set(query.getAll(name).map((value) => value.trim().slice(0, MAX_TEXT)))]
      .filter(Boolean)
      .sort()
      .slice(0, MAX_CHOSEN);
  const sort = SORTS.find((one) => one === get('sort')) ?? 'usual';
  return {
    search: get('q'),
    kind: several('kind'),
    category: several('category'),
    capability: several('capability'),
    vendor: several('vendor'),
    data: several('data').filter((one) => DATA_CHOICES.includes(one)),
    price: PRICE_STEPS.find((step) => step === wholeOf(get('price'))),
    context: CONTEXT_STEPS.find((step) => step === wholeOf(get('context'))),
    sort,
    size: {
      input: wholeOf(get('in')) ?? USUAL_MESSAGE.input,
      output: wholeOf(get('out')) ?? USUAL_MESSAGE.output,
    },
  };
}

/** Writes only what differs from the default, in one order, so that equal filters share one cached page. */
export function addressQuery(question: CatalogQuestion): URLSearchParams {
  const { search, kind, category, capability, vendor, data, price, context, sort, size } = question;
  const isUsualSize = size.input === USUAL_MESSAGE.input && size.output === USUAL_MESSAGE.output;
  const parameters: [string, string | number | undefined | readonly string[]][] = [
    ['q', search],
    ['kind', kind],
    ['category', category],
    ['capability', capability],
    ['vendor', vendor],
    ['data', data],
    ['price', price],
    ['context', context],
    ['sort', sort === 'usual' ? '' : sort],
    ['in', isUsualSize ? undefined : size.input],
    ['out', isUsualSize ? undefined : size.output],
  ];
  const query = new URLSearchParams();
  for (const [name, value] of parameters) {
    if (typeof value === 'object') for (const one of value) query.append(name, one);
    else if (value !== undefined && value !== '') query.set(name, String(value));
  }
  return query;
}

/** Persian and Arabic digits and separators are numbers too. */
export function wholeOf(text: string): number | undefined {
  const plain = latinDigits(text).replace(/[٬،,\s_]/g, '');
  if (!/^\d{1,8}$/.test(plain)) return undefined;
  return Math.min(Number(plain), MAX_TOKENS);
}

/** Whether it contains the searched words; with script they are applied in the browser without asking again. */
export function isFound(model: Model, search: string): boolean {
  return search === '' || searchText(model).includes(searchForm(search));
}

export function find(catalog: ShownCatalog, question: CatalogQuestion): Model[] {
  const models = [...catalog.models.values()].filter((model) => fits(model, question));
  return models.sort(orderOf(question));
}

function fits(model: Model, question: CatalogQuestion): boolean {
  const { search, kind, category, capability, vendor, data, price, context, size } = question;
  const cost = price === undefined ? undefined : thousandMessages(model, size);
  return (
    isFound(model, search) &&
    (kind.length === 0 || kind.includes(model.kind)) &&
    (category.length === 0 || category.some((one) => model.categories.includes(one))) &&
    capability.every((one) => model.capabilities.has(one)) &&
    (vendor.length === 0 || vendor.includes(model.vendor)) &&
    meetsChoices(model, data) &&
    (price === undefined || (cost !== undefined && cost <= BigInt(price) * 1_000_000n)) &&
    (context === undefined || (model.context ?? 0) >= context)
  );
}

export function searchText(model: Model): string {
  return searchForm(`${model.id} ${model.name} ${model.nameFa ?? ''}`);
}

type Order = (a: Model, b: Model) => number;

function orderOf({ sort, size }: CatalogQuestion): Order {
  const byId: Order = (a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
  const by =
    (value: (model: Model) => number): Order =>
    (a, b) =>
      value(a) - value(b) || byId(a, b);
  const cost = (model: Model) =>
    Number(thousandMessages(model, size) ?? lineOf(model.price, mainBucket(model))?.amount ?? 0n);
  switch (sort) {
    case 'cheap':
      return by((model) => kindRank(model) * Number.MAX_SAFE_INTEGER + cost(model));
    case 'dear':
      return by((model) => kindRank(model) * Number.MAX_SAFE_INTEGER - cost(model));
    case 'context':
      return by((model) => -(model.context ?? 0));
    case 'new':
      return by((model) => -model.created);
    case 'name':
      return (a, b) => a.name.localeCompare(b.name) || byId(a, b);
    default:
      return by((model) => Number(model.simulated) * 100 + kindRank(model) * 10 - shelfRank(model));
  }
}

/** Chat models come first: other kinds are charged by other units and cannot be compared with them. */
function kindRank({ kind }: Model): number {
  return kind === 'chat' ? 0 : kind === 'embedding' ? 1 : 2;
}

function shelfRank(model: Model): number {
  return (
    (model.categories.includes('popular') ? 5 : 0) + NOTED.filter((one) => model.capabilities.has(one)).length / 10
  );
}
