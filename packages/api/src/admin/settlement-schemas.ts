/** What a settlement, its lines and its file look like in the interface. */
import Type from 'typebox';
import { inputObject, nullable, responseObject, Time, Toman } from '../building-blocks.ts';

export const SourceName = Type.String({ minLength: 1, maxLength: 64 });
export const SettledUnits = Type.String({
  description: 'Whole units of `unit`: rial, toman, or hundredths of a currency.',
});

const SumsSchema = responseObject(
  {
    ours: Toman,
    unmatched: Toman,
    arrived: Toman,
    fee: Toman,
    difference: Type.String({
      description: 'Toman that are left; positive is booked as a fee, negative as money without an order.',
    }),
  },
  'SettlementSums',
);

export const SettlementSchema = responseObject(
  {
    object: Type.Literal('settlement'),
    id: Type.String(),
    kind: Type.Enum(['gateway', 'bank', 'opening']),
    source: Type.String({ description: 'The gateway, or your bank account.' }),
    external_id: Type.String(),
    paid_at: Time,
    reference: nullable(Type.String()),
    unit: Type.String(),
    units: SettledUnits,
    has_lines: Type.Boolean({
      description: 'False: only the sum is told, and the lines are your orders since the one before.',
    }),
    state: Type.Enum(['read', 'matched', 'booked']),
    lines: Type.Integer(),
    open_lines: Type.Integer({ description: 'Lines that nothing of yours is known for.' }),
    document_id: nullable(Type.String()),
    bank: nullable(Type.String()),
    booked_by: nullable(Type.String()),
    booked_at: nullable(Time),
    created_by: Type.String(),
    created_at: Time,
    sums: nullable(SumsSchema),
  },
  'Settlement',
);

export const LineSchema = responseObject(
  {
    object: Type.Literal('settlement_line'),
    number: Type.Integer(),
    kind: Type.Enum(['payment', 'refund', 'dispute', 'fee', 'movement']),
    reference: nullable(Type.String()),
    external_id: nullable(Type.String()),
    day: Type.String(),
    text: nullable(Type.String()),
    gross: SettledUnits,
    fee: SettledUnits,
    match: Type.Enum(['none', 'reference', 'external', 'proposed', 'hand', 'assumed'], {
      description: '`proposed`: by amount and day only; somebody must confirm it.',
    }),
    problem: nullable(Type.Enum(['differs', 'twice', 'not-paid', 'payout-waits'])),
    settles: nullable(Type.String()),
    order_id: nullable(Type.String()),
    ours: nullable(Toman),
  },
  'SettlementLine',
);

export const FileColumns = inputObject({
  date: SourceName,
  amount: Type.Optional(SourceName),
  paid_in: Type.Optional(SourceName),
  paid_out: Type.Optional(SourceName),
  fee: Type.Optional(SourceName),
  reference: Type.Optional(SourceName),
  external_id: Type.Optional(SourceName),
  text: Type.Optional(SourceName),
});
const MAX_FILE = 4 * 1024 * 1024;
export const FileFields = {
  kind: Type.Enum(['gateway', 'bank']),
  source: SourceName,
  text: Type.String({ minLength: 1, maxLength: MAX_FILE, description: 'The file: CSV with names in its first line.' }),
  unit: Type.Enum(['IRR', 'IRT']),
};

export const BadRowSchema = responseObject({
  line: Type.Integer(),
  column: Type.String(),
  reason: responseObject({ fa: Type.String(), en: Type.String() }),
});
