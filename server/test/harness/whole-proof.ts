/** The books proven whole by the running service, as an operator asks for it. */
import { setTimeout as pause } from 'node:timers/promises';

export interface WholeProof {
  ok: boolean | null;
  state: string;
  reason: string | null;
  checks: { id: string; result: string; detail: string }[];
}

export type AsksAdmin = (method: string, path: string) => Promise<Response>;

const ASK_AGAIN_MS = 50;

export async function wholeProof(ask: AsksAdmin): Promise<WholeProof> {
  // A night's run may be under way; then that one is answered, and a whole one comes after it.
  for (;;) {
    let run = (await (await ask('POST', '/api/admin/proofs')).json()) as WholeProof & { id: string; kind: string };
    const { id, kind } = run;
    while (run.state === 'running') {
      await pause(ASK_AGAIN_MS);
      run = (await (await ask('GET', `/api/admin/proofs/${id}`)).json()) as typeof run;
    }
    if (kind === 'whole') return run;
  }
}
