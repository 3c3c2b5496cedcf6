/** `/api/console/me/proof`: the person of a session shows again who they are. */
import type { Static } from 'typebox';
import { networkOf } from '../../core/caller-network.ts';
import { invalidRequest } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import { HOUR_MS } from '../../core/time-spans.ts';
import { isProofFresh, maskContact, type People, PROOF_LIFETIME_MS, type ProofInput } from '../../people/index.ts';
import type { PublicSite } from '../public-site.ts';
import type { Register } from '../routes/register.ts';
import { beginPasskeyProof, endSessionsByLink, getProof, giveProof, sendProofCode } from './routes/proof.ts';

export interface ProofServices {
  people: People;
  site: PublicSite;
  isFirstPassword(text: string): boolean;
}

export function proofRoutes(register: Register, { people, site, isFirstPassword }: ProofServices): void {
  const { proofs, signIn, passkeys, attempts, wayInChanges } = people;
  register(getProof, async ({ who }) => {
    const { ways, contacts } = await proofs.waysOf(who.personId);
    const shown = contacts.map(({ id, kind, value }) => ({ id, kind, value: maskContact(value) }));
    return { object: 'proof', proved_until: await provedUntil(people, who), ways, contacts: shown };
  });
  register(sendProofCode, async ({ who, body, call, language }) => {
    const { value } = await proofs.contactOf(who.personId, body.contact_id);
    await signIn.sendCode(value, 'proof', call.ip, { language, host: site().host });
    return { done: true };
  });
  register(beginPasskeyProof, async ({ who }) => {
    await attempts.count([{ counter: `passkey-proof:${who.personId}`, max: 100, spanMs: HOUR_MS }]);
    return passkeys.beginProof(who.personId, site());
  });
  register(giveProof, async ({ who, body, call }) => {
    const prover = { personId: who.personId, sessionId: who.sessionId, address: call.ip };
    const until = await proofs.give(prover, proofOf(body, { site: site(), isFirstPassword }));
    return { object: 'proof', proved_until: until.toISOString() };
  });
  register(endSessionsByLink, async ({ body, call }) => {
    await attempts.count([
      { counter: `end-sessions-from:${call.ip}`, max: 100, spanMs: HOUR_MS },
      { counter: `end-sessions-net:${networkOf(call.ip)}`, max: 300, spanMs: HOUR_MS },
    ]);
    return { ended: await wayInChanges.endSessions(body.secret) };
  });
}

type Own = Pick<Extract<ProofInput, { way: 'passkey' }>, 'site'> &
  Pick<Extract<ProofInput, { way: 'password' }>, 'isFirstPassword'>;

function proofOf(body: Static<typeof giveProof.body>, { site, isFirstPassword }: Own): ProofInput {
  const { way, password, code, contact_id: contactId, ticket, response } = body;
  switch (way) {
    case 'password':
      return { way, password: told('password', password), isFirstPassword };
    case 'second-factor':
      return { way, code: told('code', code) };
    case 'code':
      return { way, contactId: told('contact_id', contactId), code: told('code', code) };
    case 'passkey':
      return { way, ticket: told('ticket', ticket), response: response as Json, site };
  }
}

function told(field: string, value: string | undefined): string {
  if (value === undefined) throw invalidRequest(field, reasons.required(field));
  return value;
}

async function provedUntil(people: People, who: { personId: string; sessionId: string }): Promise<string | null> {
  const session = (await people.sessions.list(who.personId)).find(({ id }) => id === who.sessionId);
  if (!session || !isProofFresh(session, people.clock.now())) return null;
  return new Date(session.provedAt.getTime() + PROOF_LIFETIME_MS).toISOString();
}
