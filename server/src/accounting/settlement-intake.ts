/**
 * Stores what a gateway or a bank says, once per id of theirs, and matches it with our books. Nothing is booked here.
 */

import { createHash } from 'node:crypto';
import { HOME_OFFSET_MS } from '@dargah/core/home-zone.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { parseTimeInput } from '../keys/index.ts';
import { type GatewaySettlement, plainNumber } from '../payments/index.ts';
import type { RecordChange } from '../platform/audit-log.ts';
import { type Database, lockUntilCommit, type Queryable } from '../platform/db/index.ts';
import { type BadRow, type FileColumns, type FileLine, type FileUnit, readSettlementFile } from './settlement-file.ts';
import { KNOWN_COLUMNS, REMEMBER_COLUMNS } from './settlement-line-rows.ts';
import { matchBank, matchGateway } from './settlement-match.ts';
import { settlementReasons } from './settlement-reasons.ts';
import * as rows from './settlement-rows.ts';

export interface IntakeOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  record: RecordChange;
}

export interface SettlementFile {
  kind: 'gateway' | 'bank';
  source: string;
  text: string;
  unit: FileUnit;
  columns: FileColumns | undefined;
  /** For a payout of a gateway: its own id, its day, the bank's number, and what arrived. */
  externalId?: string | undefined;
  paidAt?: Date | undefined;
  reference?: string | undefined;
  arrived?: bigint | undefined;
}

interface FilePreview {
  names: string[];
  bad: BadRow[];
  count: number;
  firstLines: FileLine[];
  /** In the units of the file. */
  gross: bigint;
  fee: bigint;
}

const SHOWN = 20;
/** Writers of settlements wait for each other, so that each sees what the one before has settled. */
export const lockSettlements = (tx: Queryable) => lockUntilCommit(tx, 'settlements');

export function previewFile({ text, columns }: Pick<SettlementFile, 'text' | 'columns'>): FilePreview {
  const { names, bad, lines } = readSettlementFile(text, columns);
  const sum = (of: (line: FileLine) => bigint) => lines.reduce((total, line) => total + of(line), 0n);
  return {
    names,
    bad,
    count: lines.length,
    firstLines: lines.slice(0, SHOWN),
    gross: sum(({ gross }) => gross),
    fee: sum(({ fee }) => fee),
  };
}

/** Stores all lines of a file, or none of them. */
export async function storeFile(
  options: IntakeOptions,
  file: SettlementFile,
  actor: string,
): Promise<rows.StoredSettlement> {
  if (file.columns === undefined) throw invalidRequest('columns', settlementReasons.columnsMissing);
  const { lines, bad } = readSettlementFile(file.text, file.columns);
  if (bad.length > 0) throw invalidRequest('text', settlementReasons.badRows(bad.length));
  const digest = digestOf(lines.map(({ line: _, ...rest }) => rest));
  const net = lines.reduce((sum, { gross, fee }) => sum + gross - fee, 0n);
  const lastDay =
    lines
      .map(({ day }) => day)
      .sort()
      .at(-1) ?? '';
  const isBank = file.kind === 'bank';
  const settlement = {
    kind: file.kind,
    source: file.source,
    externalId: isBank ? digest : (plainNumber(file.externalId) ?? digest),
    digest,
    paidAt: file.paidAt ?? new Date(parseTimeInput(lastDay) ?? options.clock.now()),
    reference: plainNumber(file.reference),
    unit: file.unit,
    units: isBank ? net : (file.arrived ?? net),
    fee: null,
    hasLines: true,
  };
  return options.db.transaction(async (tx) => {
    await rememberColumns(tx, file, new Date(options.clock.now()));
    return store(options, tx, settlement, linesOfFile(file, lines), actor);
  });
}

function linesOfFile({ kind, source }: SettlementFile, lines: readonly FileLine[]): rows.NewLine[] {
  const seen = new Map<string, number>();
  return lines.map(({ line: _, gross, fee, day, text, reference, externalId }) => {
    const plain = kind === 'bank' ? plainNumber(reference) : reference;
    const content = { reference: plain, externalId, day, text, gross, fee };
    if (kind === 'gateway') return { ...content, kind: gross < 0n ? 'refund' : 'payment', fingerprint: null };
    // Two equal lines of one day are counted as two; the same two in the next file are recognised.
    const own = digestOf([source, content]);
    const turn = (seen.get(own) ?? 0) + 1;
    seen.set(own, turn);
    return { ...content, kind: 'movement', fingerprint: `${own}:${turn}` };
  });
}

/** Stores what a gateway reports through its API. Known settlements stay as they are. */
export async function storeListed(
  options: IntakeOptions,
  gateway: string,
  listed: readonly GatewaySettlement[],
  actor: string,
): Promise<rows.StoredSettlement[]> {
  const stored: rows.StoredSettlement[] = [];
  for (const one of [...listed].sort((a, b) => a.paidAt.getTime() - b.paidAt.getTime())) {
    const lines = (one.lines ?? []).map(({ at, ...line }) => ({ ...line, day: dayOf(at), fingerprint: null }));
    const digest = digestOf([one.unit, one.units, lines]);
    const { id: externalId, paidAt, reference, unit, units } = one;
    const facts = {
      kind: 'gateway' as const,
      source: gateway,
      externalId,
      digest,
      paidAt,
      reference,
      unit,
      units,
      fee: null,
    };
    stored.push(
      await options.db.transaction((tx) =>
        store(options, tx, { ...facts, hasLines: one.lines !== null }, lines, actor),
      ),
    );
  }
  return stored;
}

type SettlementToStore = Omit<Parameters<typeof rows.insertSettlement>[1], 'id' | 'createdBy' | 'createdAt'>;

async function store(
  { clock, randomBytes, record }: IntakeOptions,
  tx: Queryable,
  settlement: SettlementToStore,
  lines: readonly rows.NewLine[],
  actor: string,
): Promise<rows.StoredSettlement> {
  await lockSettlements(tx);
  const known = await rows.findByExternalId(tx, settlement);
  if (known) {
    if (known.digest !== settlement.digest)
      throw new GatewayError('conflict', { reason: settlementReasons.otherContent });
    return known;
  }
  const nowMs = clock.now();
  const id = makeId('stl', nowMs, randomBytes);
  await rows.insertSettlement(tx, { ...settlement, id, createdBy: actor, createdAt: new Date(nowMs) });
  const written = await rows.insertLines(tx, id, lines);
  if (settlement.kind === 'bank' && written === 0)
    throw new GatewayError('conflict', { reason: settlementReasons.nothingNew });
  await match(tx, await rows.findSettlement(tx, id));
  const { source, kind, externalId } = settlement;
  await record(tx, actor, 'settlement.read', id, { source, kind, external_id: externalId, lines: written });
  return rows.findSettlement(tx, id);
}

export async function match(tx: Queryable, settlement: rows.StoredSettlement): Promise<void> {
  await (settlement.kind === 'bank' ? matchBank(tx, settlement) : matchGateway(tx, settlement));
  await rows.refreshState(tx, settlement.id);
}

async function rememberColumns(tx: Queryable, { kind, source, columns, unit }: SettlementFile, at: Date) {
  await REMEMBER_COLUMNS.run(tx, [`${kind}:${source}`, { ...columns, unit }, at]);
}

export async function knownColumns(db: Queryable): Promise<{ source: string; columns: Record<string, string> }[]> {
  return KNOWN_COLUMNS.rows(db);
}

function digestOf(value: unknown): string {
  const text = JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one));
  return createHash('sha256').update(text).digest('hex').slice(0, 40);
}

function dayOf(at: Date): string {
  return new Date(at.getTime() + HOME_OFFSET_MS).toISOString().slice(0, 10);
}
