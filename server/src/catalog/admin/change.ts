/**
 * Runs every change of the catalog: one transaction with the rows, the message to every replica and the audit log
 * entry.
 */

import type { AuditLogAct } from '@dargah/core/admin-acts.ts';
import type { ErrorCode } from '@dargah/core/error-registry.ts';
import type { Text } from '@dargah/core/text.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import { createChangeRecorder } from '../../platform/audit-log.ts';
import { isUniqueViolation, type Queryable } from '../../platform/db/index.ts';
import { Fields, mistakes, Report } from '../reading/index.ts';
import { catalogReasons } from '../reasons.ts';
import type { ManagedBy } from '../seed/declared.ts';
import type { SeedTools } from '../seed/seed-tools.ts';

export interface AdminTools extends SeedTools {
  /** Reads the change into this process, so that the caller's very next call sees it. */
  applied?(): Promise<void>;
}

export interface Step {
  actor: string;
  action: AuditLogAct;
  subject: string;
  /** Must not hold a secret. */
  detail?: JsonObject;
}

/** Adds what is known only while the change is made: what was before and what is after. */
export type Note = (more: JsonObject) => void;

export async function change<T>(
  tools: AdminTools,
  step: Step,
  work: (tx: Queryable, now: Date, note: Note) => Promise<T>,
): Promise<T> {
  const record = createChangeRecorder(tools, 'catalog');
  try {
    const made = await tools.db.transaction(async (tx) => {
      let detail = step.detail ?? {};
      const result = await work(tx, new Date(tools.clock.now()), (more) => {
        detail = { ...detail, ...more };
      });
      await record(tx, step.actor, step.action, step.subject, detail);
      return result;
    });
    await tools.applied?.();
    return made;
  } catch (error) {
    if (isUniqueViolation(error)) throw conflict(catalogReasons.idInUse);
    throw error;
  }
}

/** Reads a body with the file's own readers; the first mistake becomes the error, all of them its detail. */
export function readBody<T>(body: Json, read: (fields: Fields) => T): NonNullable<T> {
  if (!isJsonObject(body)) throw invalidRequest('body', reasons.mustBe('body', expected.jsonObject));
  const byVariable = Object.keys(body).find((name) => name.endsWith('_env'));
  // Callers of the API must not read the server's own environment, so variables are not resolved here.
  if (byVariable !== undefined) throw invalidRequest(byVariable, catalogReasons.variableOnlyInFile);
  const report = new Report();
  const fields = new Fields(body, [], report);
  const value = read(fields);
  fields.finish();
  const [first] = report.mistakes;
  if (first === undefined && value !== undefined && value !== null) return value;
  const { path, message, persian } = first ?? {
    path: 'body',
    message: mistakes.incomplete.en,
    persian: mistakes.incomplete.fa,
  };
  const all = report.mistakes.map((mistake) => ({ param: dotted(mistake.path), message: mistake.message }));
  const reason = reasons.ofField(path, { fa: `${persian ?? mistakes.incomplete.fa}.`, en: `${message}.` });
  throw new GatewayError('invalid_request', { param: dotted(path), reason, detail: { mistakes: all } });
}

/** `routes[0].provider`, as in the file, is `routes.0.provider` in every error of the API. */
function dotted(path: string): string {
  return path.replace(/\[(\d+)\]/g, '.$1');
}

const KINDS = {
  model: 'مدل',
  route: 'مسیر',
  group: 'گروه',
  change: 'تغییر',
  credential: 'کلید',
  provider: 'ارائه‌دهنده',
  price: 'قیمت',
  'price list': 'فهرست قیمت',
  'pricing term': 'تغییر نرخ یا حاشیهٔ سود',
};

export function notFound(what: keyof typeof KINDS, id: string): GatewayError {
  const code: ErrorCode = 'not_found';
  return new GatewayError(code, {
    reason: catalogReasons.noSuch(KINDS[what], id, what),
  });
}

export function conflict(reason: Text): GatewayError {
  return new GatewayError('conflict', { reason });
}

export function refuseConfigManaged(row: { managed_by: ManagedBy }): void {
  if (row.managed_by === 'config') throw conflict(catalogReasons.definedInFile);
}

/** An entry that start-up made would come back at the next start, so it is switched off instead of deleted. */
export function refuseUnlessOperators(row: { managed_by: ManagedBy }): void {
  refuseConfigManaged(row);
  if (row.managed_by !== 'operator') throw conflict(catalogReasons.madeByTheGateway);
}

/** Takes the operator's switch out of a body. */
export function takeEnabled(body: Json): { enabled: boolean | undefined; rest: JsonObject } {
  if (!isJsonObject(body)) throw invalidRequest('body', reasons.mustBe('body', expected.jsonObject));
  const { enabled, ...rest } = body;
  if (enabled !== undefined && typeof enabled !== 'boolean')
    throw invalidRequest('enabled', reasons.mustBe('enabled', expected.flag));
  return { enabled, rest };
}
