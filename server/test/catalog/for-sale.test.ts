/** What is not for sale is in no list that strangers or customers see, and the operator's own account sees it. */
import { expect, it } from 'vitest';
import type { CatalogSnapshot, Model } from '../../src/catalog/index.ts';
import { catalogForSale, isShownTo } from '../../src/catalog/index.ts';
import { OPERATOR_ACCOUNT } from '../../src/core/operator-account.ts';

const model = (id: string, notForSale: boolean) => ({ id, ...(notForSale && { notForSale }) }) as Model;
const snapshot = (...models: Model[]): CatalogSnapshot => ({
  models: new Map(models.map((one) => [one.id, one])),
  providers: new Map(),
  groups: new Map([
    ['all', { id: 'all', name: 'all', defaultModel: 'a/one', models: new Set(models.map(({ id }) => id)) }],
    ['unsold', { id: 'unsold', name: 'unsold', defaultModel: 'a/one', models: new Set(['a/one']) }],
  ]),
});

it('leaves out what nobody confirmed, mends its groups, and is the same object each time', () => {
  const whole = snapshot(model('a/one', true), model('a/two', false));
  const sold = catalogForSale(whole);
  expect([...sold.models.keys()]).toEqual(['a/two']);
  expect([...sold.groups.keys()]).toEqual(['all']);
  expect(sold.groups.get('all')).toMatchObject({ defaultModel: 'a/two', models: new Set(['a/two']) });
  expect(catalogForSale(whole)).toBe(sold);
});

it('is the catalog itself where everything is for sale', () => {
  const whole = snapshot(model('a/one', false));
  expect(catalogForSale(whole)).toBe(whole);
});

it('is shown to the operator alone', () => {
  expect(isShownTo(model('a/one', true), OPERATOR_ACCOUNT)).toBe(true);
  expect(isShownTo(model('a/one', true), 'acme')).toBe(false);
  expect(isShownTo(model('a/one', false), 'acme')).toBe(true);
});
