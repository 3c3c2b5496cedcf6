import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { insertTerms, marginFor, type NewTerm, readTerms, termsAt } from '../../src/catalog/prices/pricing-terms.ts';
import { openTemporaryDatabase } from '../services/embedded-database.ts';

const DEFAULTS = { exchangeRate: '1', margin: '0.5' };
const NO_FILE = { exchangeRate: undefined, margin: undefined };
const NOW = 1_800_000_000_000;
const DAY = 86_400_000;

const rate = (value: string): NewTerm => ({ kind: 'rate', layer: 'global', subject: '', value });
const margin = (layer: NewTerm['layer'], subject: string, value: string | null): NewTerm => ({
  kind: 'margin',
  layer,
  subject,
  value,
});

it('the file wins over the operator, the operator over the defaults; the later of two of one date counts', async () => {
  const { db, remove } = await openTemporaryDatabase();
  const at = async (file = NO_FILE, atMs = NOW) => termsAt(await readTerms(db, NOW), atMs, file, DEFAULTS);
  expect(await at()).toMatchObject(DEFAULTS);
  const say = (terms: NewTerm[], atMs: number) =>
    insertTerms(db, terms, new Date(atMs), new Date(NOW), (size) => randomBytes(size));
  await say([rate('7'), margin('global', '', '0')], NOW - 1);
  await say([rate('8')], NOW - 1);
  await say([rate('9'), margin('vendor', 'openai', '0.2')], NOW + DAY);
  expect(await at()).toMatchObject({ exchangeRate: '8', margin: '0' });
  expect(await at({ ...NO_FILE, exchangeRate: '6' } as never)).toMatchObject({ exchangeRate: '6', margin: '0' });
  const later = await at(NO_FILE, NOW + DAY);
  expect(later.exchangeRate).toBe('9');
  expect(marginFor(later, 'openai/gpt-4o')).toEqual({ margin: '0.2', layer: 'vendor' });
  expect(marginFor(await at(NO_FILE, NOW + DAY - 1), 'openai/gpt-4o')).toEqual({ margin: '0', layer: 'global' });
  await remove();
});

it('the most specific margin wins, and one that was taken away no longer does', () => {
  const terms = { ...DEFAULTS, vendors: new Map([['a', '0.2']]), models: new Map([['a/x', '0.3']]) };
  expect(marginFor(terms, 'a/x')).toEqual({ margin: '0.3', layer: 'model' });
  expect(marginFor(terms, 'a/y')).toEqual({ margin: '0.2', layer: 'vendor' });
  expect(marginFor(terms, 'b/x')).toEqual({ margin: '0.5', layer: 'global' });
  const at = { id: '', origin: 'hand', effective_at: new Date(NOW), created_at: new Date(NOW) };
  const rows = [margin('model', 'a/x', '0.3'), margin('model', 'a/x', null)].map((term) => ({
    ...at,
    ...term,
  })) as never;
  expect(marginFor(termsAt(rows, NOW, NO_FILE, DEFAULTS), 'a/x').layer).toBe('global');
});
