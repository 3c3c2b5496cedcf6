import { expect, it } from 'vitest';
import { storeTerms, termsInForce } from '../../src/catalog/exchange-terms.ts';
import { openTemporaryDatabase } from '../services/embedded-database.ts';

it('the file wins over the operator, the operator over the defaults, each term on its own', async () => {
  const { db, remove } = await openTemporaryDatabase();
  const defaults = { exchangeRate: '1', margin: '0.5' };
  const none = { exchangeRate: undefined, margin: undefined };
  expect(await termsInForce(db, none, defaults)).toEqual(defaults);
  await storeTerms(db, { exchangeRate: '7', margin: '0' }, new Date(1_800_000_000_000));
  await storeTerms(db, { exchangeRate: '8', margin: '0' }, new Date(1_800_000_000_001));
  expect(await termsInForce(db, none, defaults)).toEqual({ exchangeRate: '8', margin: '0' });
  expect(await termsInForce(db, { ...none, exchangeRate: '9' }, defaults)).toEqual({ exchangeRate: '9', margin: '0' });
  await remove();
});
