/** `/api/console/me`: what is the person's own. */

import type { AccountService } from '../../accounts/index.ts';
import { GatewayError } from '../../core/errors.ts';
import { makeId, type RandomBytes } from '../../core/ids.ts';
import {
  type Identity,
  type Membership,
  type People,
  parseContact,
  selectIdentities,
  updatePerson,
  type WayInChange,
} from '../../people/index.ts';
import { page } from '../openapi/building-blocks.ts';
import { httpReasons } from '../reasons.ts';
import type { DoorVisit, PersonVisitor } from '../routes/doors.ts';
import type { Register } from '../routes/register.ts';
import { siteOf } from './cookie.ts';
import {
  acceptInvitation,
  changeMe,
  createOwnAccount,
  endOtherSessions,
  endSession,
  getMe,
  listOwnInvitations,
  listSessions,
} from './routes/me.ts';
import {
  addPasskey,
  addSignInMethod,
  beginPasskey,
  beginTotp,
  confirmTotp,
  listPasskeys,
  listSignInMethods,
  removePasskey,
  removeSignInMethod,
  removeTotp,
  sendMethodCode,
  setPassword,
} from './routes/ways-in.ts';
import { invitationGuesses } from './sign-in.ts';
import { meView, ownAccountView, passkeyView, sessionView } from './views.ts';

export interface MeServices {
  people: People;
  accounts: AccountService;
  randomBytes: RandomBytes;
  isFirstPassword(text: string): boolean;
}

const MAX_ACCOUNTS = 20;

export function meRoutes(register: Register, services: MeServices): void {
  const { people, accounts } = services;
  const { db, members, sessions } = people;
  register(getMe, ({ who }) => meView(people, who.personId, who.sessionId));
  register(changeMe, async ({ who, body }) => {
    const { name, language, account_id: accountId } = body;
    if (accountId !== undefined) await membershipOf(people, who.personId, accountId);
    await updatePerson(db, who.personId, {
      ...(name === undefined ? {} : { name: name.trim() }),
      ...(language === undefined ? {} : { language }),
      ...(accountId === undefined ? {} : { lastAccount: accountId }),
    });
    return meView(people, who.personId, who.sessionId);
  });
  register(createOwnAccount, async ({ who, body, actor }) => {
    const present = await members.ofPerson(who.personId);
    const owned = present.filter(({ role }) => role === 'owner');
    // Being invited into an account does not allow a person to open one of their own.
    if (people.settings.registration !== 'open' && owned.length === 0) throw new GatewayError('registration_closed');
    if (owned.length >= MAX_ACCOUNTS)
      throw new GatewayError('conflict', {
        reason: httpReasons.noMoreAccounts,
      });
    const account = await db.transaction(async (tx) => {
      const made = await accounts.createWithin(tx, { name: body.name }, actor);
      await members.join(tx, made.id, who.personId, 'owner');
      return made;
    });
    return { id: account.id, name: account.name, role: 'owner', closed: false };
  });
  register(listSessions, async ({ who }) =>
    page((await sessions.list(who.personId)).map((session) => sessionView(session, who.sessionId))),
  );
  register(endSession, async ({ who, params }) => {
    await sessions.end(who.personId, params.id);
    return { id: params.id, deleted: true };
  });
  register(endOtherSessions, async ({ who }) => ({ ended: await sessions.endAll(who.personId, who.sessionId) }));
  register(listOwnInvitations, async ({ who }) => {
    const owned = await selectIdentities(db, [who.personId]);
    const found = await members.invitationsTo(owned.map(({ value }) => value));
    return page(
      found.map(({ id, accountName, role, contact, expiresAt }) => ({
        object: 'invitation',
        id,
        account_name: accountName,
        role,
        to: contact,
        expires_at: expiresAt.toISOString(),
      })),
    );
  });
  register(acceptInvitation, async ({ who, body, call }) => {
    if (body.invitation !== undefined) await people.attempts.count(invitationGuesses(call.ip));
    const owned = await selectIdentities(db, [who.personId]);
    const invitation =
      body.invitation === undefined
        ? (await members.invitationsTo(owned.map(({ value }) => value))).find(({ id }) => id === body.id)
        : await members.findInvitation(body.invitation);
    if (!invitation) throw new GatewayError('not_found');
    await db.transaction((tx) => members.accept(invitation, who.personId, tx));
    return ownAccountView(await membershipOf(people, who.personId, invitation.accountId));
  });
  methodRoutes(register, services);
  factorRoutes(register, services);
}

/** Does what changes how the caller signs in, and has it told to all that was theirs before. */
function telling(people: People) {
  return <T>(
    { who, visit }: { who: PersonVisitor; visit: DoorVisit },
    change: WayInChange,
    work: () => Promise<T>,
  ): Promise<T> => people.wayInChanges.told(who.personId, change, siteOf(visit.headers, visit.isSecure).origin, work);
}

function methodRoutes(register: Register, { people, randomBytes, isFirstPassword }: MeServices): void {
  const { db, signIn, codes, clock } = people;
  const told = telling(people);
  register(listSignInMethods, async ({ who }) =>
    page((await selectIdentities(db, [who.personId])).filter(({ kind }) => kind !== 'name').map(methodView)),
  );
  register(sendMethodCode, async ({ body, call, language, visit }) => {
    await signIn.sendCode(body.to, 'add-method', call.ip, {
      language,
      host: siteOf(visit.headers, visit.isSecure).host,
    });
    return { done: true };
  });
  register(addSignInMethod, async ({ who, body, call, visit }) => {
    const contact = parseContact(body.to);
    await codes.use(contact, 'add-method', body.code, call.ip);
    const now = clock.now();
    const identity: Identity = {
      id: makeId('idn', now, randomBytes),
      personId: who.personId,
      ...contact,
      createdAt: new Date(now),
    };
    await told({ who, visit }, 'contact-added', () => signIn.addMethod(identity));
    return methodView(identity);
  });
  register(removeSignInMethod, async ({ who, params, visit }) => {
    await told({ who, visit }, 'contact-removed', () => signIn.removeMethod(who.personId, params.id));
    return { id: params.id, deleted: true };
  });
  register(setPassword, async ({ who, body, call, visit }) => {
    const keep = { sessionId: who.sessionId, address: call.ip };
    await told({ who, visit }, 'password-changed', () =>
      signIn.setPassword(who.personId, body.current, body.password, keep, isFirstPassword),
    );
    return { done: true };
  });
}

function factorRoutes(register: Register, { people }: MeServices): void {
  const { db, passkeys, secondFactor, sessions } = people;
  const told = telling(people);
  const labelOf = async (personId: string) => (await selectIdentities(db, [personId]))[0]?.value ?? personId;
  register(listPasskeys, async ({ who }) => page((await passkeys.list(who.personId)).map(passkeyView)));
  register(beginPasskey, async ({ who, visit }) =>
    passkeys.beginAdding(who.personId, await labelOf(who.personId), siteOf(visit.headers, visit.isSecure)),
  );
  register(addPasskey, async ({ who, body, visit }) => {
    const site = siteOf(visit.headers, visit.isSecure);
    const add = () => passkeys.add(who.personId, body.name, body.ticket, body.response as never, site);
    const passkey = await told({ who, visit }, 'passkey-added', add);
    // The device has just asked for a finger or a PIN: this session need not sign in again.
    await sessions.markSecondFactor(who.sessionId);
    return passkeyView(passkey);
  });
  register(removePasskey, async ({ who, params, visit }) => {
    await told({ who, visit }, 'passkey-removed', () => passkeys.remove(who.personId, params.id));
    return { id: params.id, deleted: true };
  });
  register(beginTotp, async ({ who }) => secondFactor.begin(who.personId, await labelOf(who.personId)));
  register(confirmTotp, async ({ who, body, visit }) => {
    const confirm = () => secondFactor.confirm(who.personId, body.code);
    const recovery = await told({ who, visit }, 'second-factor-on', confirm);
    // This session has just given a code: it need not sign in again.
    await sessions.markSecondFactor(who.sessionId);
    return { recovery_codes: recovery };
  });
  register(removeTotp, async ({ who, body, visit }) => {
    await told({ who, visit }, 'second-factor-off', () => secondFactor.remove(who.personId, body.code));
    return { done: true };
  });
}

async function membershipOf(people: People, personId: string, accountId: string): Promise<Membership> {
  const found = (await people.members.ofPerson(personId)).find((one) => one.accountId === accountId);
  if (!found) throw new GatewayError('not_found');
  return found;
}

function methodView({ id, kind, value, createdAt }: Identity) {
  return { object: 'sign_in_method', id, kind, value, created_at: createdAt.toISOString() };
}
