/** An audit as the message of a failed test: one line per check. */
import type { AuditReport } from '../../src/ledger/index.ts';

export function describeAudit({ ok, checks }: AuditReport): string {
  const lines = checks.map((check) => `${check.ok ? 'ok   ' : 'FAULT'}  ${check.name}: ${check.detail}`);
  return [...lines, ok ? 'The books balance.' : 'The books do NOT balance.'].join('\n');
}
