/** What a receipt gives of the record as it is, and what is published of it: the same columns, of the same kinds. */
import { nullable, Toman } from '@dargah/api/building-blocks.ts';
import { CUSTOMER_COLUMNS, OPERATOR_COLUMNS } from '@dargah/api/receipt-schema.ts';
import Type, { type TSchema } from 'typebox';
import { describe, expect, it } from 'vitest';
import { FOR_CUSTOMER, FOR_OPERATOR, type ShownColumn } from '../../src/requestlog/receipt.ts';

const KINDS: Record<ShownColumn['as'], TSchema> = {
  text: Type.String(),
  texts: Type.Array(Type.String()),
  flag: Type.Boolean(),
  whole: Type.Integer(),
  toman: Toman,
};

function described(columns: readonly ShownColumn[]) {
  return Object.fromEntries(
    columns.map(({ name, as, nullable: isNullable }) => [name, isNullable ? nullable(KINDS[as]) : KINDS[as]]),
  );
}

describe('columns on a receipt', () => {
  it('for the customer stand in packages/api/src/receipt-schema.ts', () => {
    expect(JSON.stringify(CUSTOMER_COLUMNS)).toBe(JSON.stringify(described(FOR_CUSTOMER)));
  });

  it('for the operator stand there too', () => {
    expect(JSON.stringify(OPERATOR_COLUMNS)).toBe(JSON.stringify(described(FOR_OPERATOR)));
  });
});
