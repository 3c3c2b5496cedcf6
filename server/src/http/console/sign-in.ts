/** `/api/console/sign-in`: from nobody to somebody. */
import { HOUR_MS } from '../../core/time-spans.ts';
import { type AttemptLimit, type Entry, networkOf, type People, selectPerson } from '../../people/index.ts';
import type { DoorVisit } from '../routes/doors.ts';
import { AnswerWithHeaders, type Register } from '../routes/register.ts';
import { endedCookie, readSession, sessionCookie, siteOf } from './cookie.ts';
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
} from './routes/sign-in.ts';
import { ownAccountView, personView } from './views.ts';

export function signInRoutes(register: Register, people: People): void {
  const { signIn, settings, messenger } = people;
  register(getSignInOptions, async () => ({
    registration: settings.registration,
    mobile: messenger.can('sms'),
    email: messenger.can('email'),
    passkey: true,
    sandbox: messenger.sandbox,
  }));
  register(sendSignInCode, async ({ body, call, language, visit }) => {
    const { host } = siteOf(visit.headers, visit.isSecure);
    const sent = await signIn.sendCode(body.to, 'sign-in', call.ip, { language, host });
    return {
      to: sent.contact.value,
      channel: sent.contact.kind === 'mobile' ? 'sms' : 'email',
      digits: 6,
      expires_in_s: sent.expiresInMs / 1000,
      resend_after_s: sent.resendAfterMs / 1000,
    };
  });
  register(signInWithCode, async ({ body, visit, language }) => {
    const words = {
      name: body.name,
      accountName: body.account_name,
      language: body.language ?? language,
      invitation: body.invitation,
    };
    return entered(people, await signIn.withCode(body.to, body.code, words, comerOf(visit)), visit);
  });
  register(signInWithPassword, async ({ body, visit }) =>
    entered(people, await signIn.withPassword(body.to, body.password, comerOf(visit)), visit),
  );
  register(giveSecondFactor, async ({ body, visit }) =>
    entered(people, await signIn.withSecondFactor(body.ticket, body.code, comerOf(visit)), visit),
  );
  register(beginPasskeySignIn, async ({ visit, call }) => {
    await people.attempts.count([{ counter: `passkey-from:${call.ip}`, most: 300, spanMs: HOUR_MS }]);
    return people.passkeys.beginSignIn(siteOf(visit.headers, visit.isSecure));
  });
  register(signInWithPasskey, async ({ body, visit }) => {
    const site = siteOf(visit.headers, visit.isSecure);
    const personId = await people.passkeys.finishSignIn(body.ticket, body.response as never, site);
    return entered(people, await signIn.withPasskey(personId, comerOf(visit)), visit);
  });
  register(readInvitation, async ({ body, call }) => {
    await people.attempts.count(invitationGuesses(call.ip));
    const { accountName, role, contact } = await people.members.findInvitation(body.invitation);
    return { account_name: accountName, role, to: contact };
  });
  register(resetPassword, async ({ body, call, visit }) => {
    const { origin } = siteOf(visit.headers, visit.isSecure);
    await signIn.resetPassword(body.to, body.code, body.password, { address: call.ip, origin });
    return { done: true };
  });
  register(signOut, async ({ who, visit }) => {
    await people.sessions.end(who.personId, who.sessionId);
    return new AnswerWithHeaders({ done: true }, { 'set-cookie': endedCookie(visit.isSecure) });
  });
}

/** Secrets of invitations are not to be guessed, wherever they are shown. */
export function invitationGuesses(address: string): AttemptLimit[] {
  return [
    { counter: `invitation-from:${address}`, most: 100, spanMs: HOUR_MS },
    { counter: `invitation-net:${networkOf(address)}`, most: 300, spanMs: HOUR_MS },
  ];
}

export function comerOf({ call, headers, isSecure }: DoorVisit) {
  return { address: call.ip, agent: headers['user-agent'], former: readSession(headers, isSecure) };
}

export async function entered(people: People, entry: Entry, { isSecure }: DoorVisit) {
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
  const value = {
    object: 'signed_in',
    person: personView(person),
    accounts: (await people.members.ofPerson(person.id)).map(ownAccountView),
    staff: (await people.staff.find(person.id))?.role ?? null,
    second_factor: null,
    new_account: entry.isNew,
  };
  return new AnswerWithHeaders(value, { 'set-cookie': sessionCookie(entry.secret, isSecure) });
}
