/** Proofs of the books, described: the latest result, the runs, the sealed days. */
import Type from 'typebox';
import { MONEY_READ, STAFF_READ, staff } from '../access.ts';
import { inputObject, nullable, PAGE_QUERY, pageOf, responseObject, Time, Toman } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';

const tag = 'Service';
const Day = Type.String({ description: 'A day of Tehran, `2026-11-15`.' });

const BooksStateSchema = responseObject(
  {
    object: Type.Literal('books_state'),
    state: Type.Enum(['proven', 'unproven', 'disagree', 'never'], {
      description:
        'As the last proof that ended found them: they agree, or they do not. `unproven`: no proof has ended for 26 hours, or two in a row broke off. `never`: none has ended yet.',
    }),
    proved_at: nullable({ ...Time, description: 'When the last proof ended.' }),
    proved_until: nullable({ ...Day, description: 'The last day that was sealed then.' }),
    checks: Type.Array(responseObject({ id: Type.String(), name: Type.String() }), {
      description: 'Those that failed.',
    }),
    reason: nullable(Type.String({ description: 'Why the last try did not end.' })),
    run_id: nullable(Type.String({ description: 'The run that found the first of them, or the last that ended.' })),
  },
  'BooksState',
);

const ProofSchema = responseObject(
  {
    object: Type.Literal('proof'),
    id: Type.String(),
    kind: Type.Enum(['light', 'night', 'whole'], {
      description:
        '`light`: the open rows, every ten minutes, kept when it found something. `night`: seals days and reads some of the sealed ones again. `whole`: every row from the first on.',
    }),
    asked_by: Type.String(),
    state: Type.Enum(['running', 'ended', 'failed'], {
      description: 'Only a run that `ended` says anything about the books.',
    }),
    started_at: Time,
    ended_at: nullable(Time),
    rows_read: Type.Integer(),
    rows_expected: Type.Integer({ description: '0: not known yet.' }),
    slices: Type.Integer(),
    ok: nullable(Type.Boolean()),
    checks: Type.Array(
      responseObject({
        id: Type.String(),
        name: Type.String(),
        result: Type.Enum(['ok', 'failed', 'nothing'], { description: '`nothing`: there was nothing to check.' }),
        detail: Type.String(),
      }),
    ),
    reason: nullable(Type.String({ description: 'Why it stopped before its end.' })),
  },
  'BooksProof',
);

const SealedDaySchema = responseObject(
  {
    day: Day,
    transfers: Type.Integer(),
    late: Type.Integer({ description: 'Of them, those of earlier days that came when those were sealed.' }),
    requests: Type.Integer(),
    charged: Toman,
    digest: Type.String({ description: 'Fingerprint of its rows.' }),
    sealed_at: Time,
    read_at: nullable({ ...Time, description: 'When its rows were last read again.' }),
    broken: Type.Boolean({ description: 'They were then not as they had been sealed.' }),
  },
  'SealedDay',
);

export const getBooksState = describeRoute({
  method: 'GET',
  path: '/api/admin/books-state',
  operationId: 'getBooksState',
  tag,
  summary: { fa: 'دفترها تراز است یا نه', en: 'Whether the books agree, as far as is known' },
  description: 'One stored row, without figures. Asking starts no proof.',
  result: BooksStateSchema,
  access: STAFF_READ,
});

export const startBooksProof = describeRoute({
  method: 'POST',
  path: '/api/admin/proofs',
  operationId: 'startBooksProof',
  tag,
  summary: { fa: 'کنترل همهٔ دفترها از اولین سطر', en: 'Prove the books whole, from the first row on' },
  description:
    'Goes on by itself; `GET /api/admin/proofs/{id}` tells how far. While a whole run goes on, that one is answered; one of a night becomes whole.',
  result: ProofSchema,
  status: 202,
  access: staff('owner', 'finance'),
});

export const getBooksProof = describeRoute({
  method: 'GET',
  path: '/api/admin/proofs/:id',
  operationId: 'getBooksProof',
  tag,
  summary: { fa: 'یک کنترل دفترها', en: 'One proof of the books' },
  params: { id: 'Of the run.' },
  result: ProofSchema,
  errors: ['not_found'],
  access: MONEY_READ,
});

export const listBooksProofs = describeRoute({
  method: 'GET',
  path: '/api/admin/proofs',
  operationId: 'listBooksProofs',
  tag,
  summary: { fa: 'کنترل‌های دفترها', en: 'Proofs of the books, newest first; kept for 400 days' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(ProofSchema),
  access: MONEY_READ,
});

export const listSealedDays = describeRoute({
  method: 'GET',
  path: '/api/admin/sealed-days',
  operationId: 'listSealedDays',
  tag,
  summary: { fa: 'روزهای مهرشدهٔ دفترها', en: 'Sealed days of the books, newest first' },
  query: inputObject({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 400 })) }),
  result: pageOf(SealedDaySchema),
  access: MONEY_READ,
});
