/** The books as a running process proves them, whatever its version: since 0.2.0 a proof is started and asked after. */
import { wholeProof } from '../harness/whole-proof.ts';
import { OPERATOR_TOKEN } from './tools.ts';

export async function proofAt(origin: string): Promise<{ ok: boolean | null; checks: object[] }> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const ask = (method: string, path: string) => fetch(origin + path, { method, headers });
  const isStored = (await ask('GET', '/api/admin/books-state')).status === 200;
  if (isStored) return wholeProof(ask);
  return (await (await ask('GET', '/api/admin/audit')).json()) as { ok: boolean; checks: object[] };
}
