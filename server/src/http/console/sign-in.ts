/** `/api/console/sign-in`: signing in and signing up. */

import {
  beginPasskeySignIn,
  getSignInOptions,
  giveSecondFactor,
  readInvitation,
  resetPassword,
  sendSignInCode,
  signInWithCode,
  signInWithPasskey,
  signInWithPassword,
  signOut,
} from '@dargah/api/console/sign-in.ts';
import type { ResultOf } from '@dargah/api/describe-route.ts';
import type { Json } from '../../core/json.ts';
import { type Entry, type People, selectPerson } from '../../people/index.ts';
import { invitationGuesses, passkeyChallenges } from '../guessing.ts';
import type { PublicSite } from '../public-site.ts';
import type { GuardRequest } from '../routes/guards.ts';
import { AnswerWithHeaders } from '../routes/handler-result.ts';
import type { Register } from '../routes/register.ts';
import { endedCookie, readSession, sessionCookie } from './cookie.ts';
import { ownAccountView, personView } from './views.ts';

export function signInRoutes(register: Register, { people, site }: { people: People; site: PublicSite }): void {
  const { signIn, settings, messenger } = people;
  register(getSignInOptions, async () => ({
    registration: settings.registration,
    mobile: messenger.can('sms'),
    email: messenger.can('email'),
    passkey: true,
    sandbox: messenger.sandbox,
  }));
  register(sendSignInCode, async ({ body, call, language }) => {
    const sent = await signIn.sendCode(body.to, 'sign-in', call.ip, { language, host: site().host });
    return {
      to: sent.contact.value,
      channel: sent.contact.kind === 'mobile' ? 'sms' : 'email',
      sent: sent.sent,
      digits: sent.digits,
      expires_in_s: Math.floor(sent.expiresInMs / 1000),
      resend_after_s: Math.ceil(sent.resendAfterMs / 1000),
    };
  });
  register(signInWithCode, async ({ body, visit, language }) => {
    const input = {
      name: body.name,
      accountName: body.account_name,
      language: body.language ?? language,
      invitation: body.invitation,
    };
    return entered(people, await signIn.withCode(body.to, body.code, input, signInClientOf(visit)), visit);
  });
  register(signInWithPassword, async ({ body, visit }) =>
    entered(people, await signIn.withPassword(body.to, body.password, signInClientOf(visit)), visit),
  );
  register(giveSecondFactor, async ({ body, visit }) =>
    entered(people, await signIn.withSecondFactor(body.ticket, body.code, signInClientOf(visit)), visit),
  );
  register(beginPasskeySignIn, async ({ call }) => {
    await people.attempts.count(passkeyChallenges(call.ip));
    return people.passkeys.beginSignIn(site());
  });
  register(signInWithPasskey, async ({ body, visit }) => {
    const personId = await people.passkeys.finishSignIn(body.ticket, body.response as Json, site());
    return entered(people, await signIn.withPasskey(personId, signInClientOf(visit)), visit);
  });
  register(readInvitation, async ({ body, call }) => {
    await people.attempts.count(invitationGuesses(call.ip));
    const { accountName, role, contact } = await people.members.findInvitation(body.invitation);
    return { account_name: accountName, role, to: contact };
  });
  register(resetPassword, async ({ body, call }) => {
    await signIn.resetPassword(body.to, body.code, body.password, { address: call.ip, origin: site().origin });
    return { done: true };
  });
  register(signOut, async ({ who, visit }) => {
    await people.sessions.end(who.personId, who.sessionId);
    return new AnswerWithHeaders({ done: true }, { 'set-cookie': endedCookie(visit.isSecure) });
  });
}

export function signInClientOf({ call, headers, isSecure }: GuardRequest) {
  return { address: call.ip, agent: headers['user-agent'], former: readSession(headers, isSecure) };
}

type SignedIn = ResultOf<typeof signInWithPassword>;

export async function entered(
  people: People,
  entry: Entry,
  { isSecure }: GuardRequest,
): Promise<SignedIn | AnswerWithHeaders<SignedIn>> {
  if (entry.kind === 'second-factor') {
    return {
      object: 'signed_in',
      person: null,
      accounts: [],
      staff: null,
      second_factor: { ticket: entry.ticket, expires_in_s: entry.expiresInMs / 1000 },
      new_account: false,
    };
  }
  const person = await selectPerson(people.db, entry.personId);
  const value: SignedIn = {
    object: 'signed_in',
    person: personView(person),
    accounts: (await people.members.ofPerson(person.id)).map((one) => ownAccountView(one, people.clock.now())),
    staff: (await people.staff.find(person.id))?.role ?? null,
    second_factor: null,
    new_account: entry.isNew,
  };
  return new AnswerWithHeaders(value, { 'set-cookie': sessionCookie(entry.secret, isSecure) });
}
