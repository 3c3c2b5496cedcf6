/**
 * Reconciliation: what gateways and banks say they paid is compared with what our books say. A settlement is read,
 * matched, and booked once. Somebody saw the amounts before; booking is refused unless they are still the same to the
 * micro-toman.
 */

import { DAY_MS } from '@dargah/core/time-spans.ts';
import { GatewayError } from '../core/errors.ts';
import type { Books } from '../ledger/index.ts';
import { type Payments, PaymentUnreachable } from '../payments/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import { isUniqueViolation, type Queryable } from '../platform/db/index.ts';
import type { Page, PageRequest } from '../platform/db/pages.ts';
import { decideFoundLine } from './found-later.ts';
import { type BookingInput, bookOnce, type OpeningInput, openGateway, statementSums } from './settlement-booking.ts';
import * as intake from './settlement-intake.ts';
import {
  CLEAR_LINE,
  DELETE_LINE,
  DISCARD_SETTLEMENT,
  FITTING,
  LAST_READ,
  MATCH_BY_HAND,
} from './settlement-line-rows.ts';
import { settlementReasons } from './settlement-reasons.ts';
import * as rows from './settlement-rows.ts';
import { type SettlementSums, settlementSums } from './settlement-sums.ts';

interface SettlementsOptions extends Omit<intake.IntakeOptions, 'record'> {
  ledger: Pick<Books, 'bookIn'>;
  payments: Pick<Payments, 'gateways' | 'banks'>;
}

export interface Settlements {
  preview: typeof intake.previewFile;
  import(file: intake.SettlementFile, actor: string): Promise<rows.StoredSettlement>;
  /** Asks the gateway for its settlements. */
  fetch(gateway: string, actor: string): Promise<rows.StoredSettlement[]>;
  columns(): ReturnType<typeof intake.knownColumns>;
  list(filter: rows.SettlementFilter, page: PageRequest): Promise<Page<rows.StoredSettlement>>;
  get(id: string): Promise<{ settlement: rows.StoredSettlement; sums: SettlementSums | undefined }>;
  lines(id: string, filter: rows.LineFilter): Promise<rows.StoredLine[]>;
  /** Matches again, because orders may have been credited since. */
  rematch(id: string, actor: string): Promise<void>;
  /**
   * `settles`: the order or the document that a line pays; null means that it pays none. In a booked statement, only a
   * line that was money without an order can still become a receipt.
   */
  decide(id: string, number: number, settles: string | null, actor: string): Promise<void>;
  discard(id: string, actor: string): Promise<void>;
  book(id: string, input: BookingInput, actor: string): Promise<rows.StoredSettlement>;
  /** Books what a gateway had paid before the books began; allowed once per gateway. */
  open(input: OpeningInput, actor: string): Promise<rows.StoredSettlement>;
}

/** The first question reads so many days back; later ones overlap the list before by so many days. */
const FIRST_DAYS = 30;
const OVERLAP_DAYS = 7;

export function createSettlements(dependencies: SettlementsOptions): Settlements {
  const { db, payments } = dependencies;
  const options = { ...dependencies, record: createChangeRecorder(dependencies, 'settlement') };

  return {
    preview: intake.previewFile,
    import: (file, actor) => intake.storeFile(options, file, actor),
    async fetch(gatewayId, actor) {
      const gateway = await payments.gateways.evenIfOff(gatewayId);
      if (!gateway?.settlements) throw new GatewayError('conflict', { reason: settlementReasons.noList });
      const since = await lastRead(db, gatewayId, options.clock.now());
      const listed = await gateway.settlements(since).catch((error: unknown) => {
        if (!(error instanceof PaymentUnreachable)) throw error;
        throw new GatewayError('upstream_error', { reason: settlementReasons.gatewaySilent(error.code), cause: error });
      });
      return intake.storeListed(options, gatewayId, listed, actor);
    },
    columns: () => intake.knownColumns(db),
    list: (filter, page) => rows.listSettlements(db, filter, page),
    async get(id) {
      const settlement = await rows.findSettlement(db, id);
      const lines = await rows.allLines(db, id);
      return {
        settlement,
        sums: settlement.kind === 'bank' ? statementSums(settlement, lines) : settlementSums(settlement, lines),
      };
    },
    async lines(id, filter) {
      await rows.findSettlement(db, id);
      return rows.pageOfLines(db, id, filter);
    },
    rematch: (id) =>
      db.transaction(async (tx) => {
        const settlement = await openOne(tx, id);
        if (settlement.hasLines) await intake.match(tx, settlement);
      }),
    decide: (id, number, settles, actor) =>
      db.transaction(async (tx) => {
        const settlement = await lockedOne(tx, id);
        if (settlement.state === 'booked' && settlement.kind === 'bank' && settles !== null) {
          const line = { settlement: id, number, bank: settlement.source };
          await decideFoundLine(options.ledger, tx, line, settles, actor);
        } else {
          await decideLine(tx, requireOpen(settlement), number, settles);
          await rows.refreshState(tx, id);
        }
        await options.record(tx, actor, 'settlement.match', id, { line: number, settles });
      }),
    discard: (id, actor) =>
      db.transaction(async (tx) => {
        const { source, externalId } = await openOne(tx, id);
        await DISCARD_SETTLEMENT.run(tx, [id]);
        await options.record(tx, actor, 'settlement.discard', id, { source, external_id: externalId });
      }),
    book: (id, input, actor) => bookOnce(options, id, input, actor),
    open: (input, actor) => openGateway(options, input, actor),
  };
}

async function lastRead(db: Queryable, gateway: string, nowMs: number): Promise<Date> {
  const row = await LAST_READ.first(db, [gateway]);
  return new Date(row?.at ? row.at.getTime() - OVERLAP_DAYS * DAY_MS : nowMs - FIRST_DAYS * DAY_MS);
}

/** The settlement, locked until the transaction ends. */
async function lockedOne(tx: Queryable, id: string): Promise<rows.StoredSettlement> {
  await intake.lockSettlements(tx);
  return rows.findSettlement(tx, id, true);
}

/** Refuses a settlement that is booked, because it never changes again. */
function requireOpen(settlement: rows.StoredSettlement): rows.StoredSettlement {
  if (settlement.state === 'booked') throw new GatewayError('conflict', { reason: settlementReasons.isBooked });
  return settlement;
}

async function openOne(tx: Queryable, id: string): Promise<rows.StoredSettlement> {
  return requireOpen(await lockedOne(tx, id));
}

async function decideLine(
  tx: Queryable,
  { id, source, unit, hasLines }: rows.StoredSettlement,
  number: number,
  settles: string | null,
): Promise<void> {
  if (settles === null) {
    // A line that was only assumed is not in the settlement: its order waits for the next one.
    if (!hasLines) await DELETE_LINE.run(tx, [id, number]);
    await CLEAR_LINE.run(tx, [id, number]);
    return;
  }
  const fit = await FITTING.first(tx, [id, number, settles, source, unit]);
  if (!fit) throw new GatewayError('conflict', { param: 'settles', reason: settlementReasons.notYours });
  await MATCH_BY_HAND.run(tx, [id, number, fit.settles, fit.order_id, fit.ours, fit.rate]).catch((error: unknown) => {
    if (!isUniqueViolation(error)) throw error;
    throw new GatewayError('conflict', { param: 'settles', reason: settlementReasons.settledBefore });
  });
}
