/** `/api/console/me`: what belongs to the person. */

import { page } from '@dargah/api/building-blocks.ts';
import {
  acceptInvitation,
  changeMe,
  createOwnAccount,
  endOtherSessions,
  endSession,
  getMe,
  listOwnInvitations,
  listSessions,
} from '@dargah/api/console/me.ts';
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
} from '@dargah/api/console/ways-in.ts';
import type { ResultOf } from '@dargah/api/describe-route.ts';
import type { AccountService } from '../../accounts/index.ts';
import { GatewayError } from '../../core/errors.ts';
import { makeId, type RandomBytes } from '../../core/ids.ts';
import type { Json } from '../../core/json.ts';
import {
  type ContactIdentity,
  isContact,
  type Membership,
  type People,
  parseContact,
  selectIdentities,
  updatePerson,
  type WayInChange,
} from '../../people/index.ts';
import { invitationGuesses, methodCodes } from '../guessing.ts';
import type { PublicSite } from '../public-site.ts';
import { httpReasons } from '../reasons.ts';
import type { PersonPrincipal } from '../routes/guards.ts';
import type { Register } from '../routes/register.ts';
import { meView, ownAccountView, passkeyView, sessionView } from './views.ts';

export interface MeServices {
  people: People;
  accounts: AccountService;
  randomBytes: RandomBytes;
  site: PublicSite;
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
    // An invitation into an account does not allow a person to open one of their own.
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
    return { id: account.id, name: account.name, role: 'owner', closed: false, blocked: null };
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
    return ownAccountView(await membershipOf(people, who.personId, invitation.accountId), people.clock.now());
  });
  methodRoutes(register, services);
  factorRoutes(register, services);
}

/** Makes a change of how the caller signs in, and notifies all former contacts of it. */
function telling({ people, site }: MeServices) {
  return <T>({ personId }: PersonPrincipal, change: WayInChange, work: () => Promise<T>): Promise<T> =>
    people.wayInChanges.told(personId, change, site().origin, work);
}

function methodRoutes(register: Register, services: MeServices): void {
  const { people, randomBytes, site, isFirstPassword } = services;
  const { db, signIn, codes, clock } = people;
  const told = telling(services);
  register(listSignInMethods, async ({ who }) =>
    page((await selectIdentities(db, [who.personId])).filter(isContact).map(methodView)),
  );
  register(sendMethodCode, async ({ who, body, call, language }) => {
    await people.attempts.count(methodCodes(who.personId));
    await signIn.sendCode(body.to, 'add-method', call.ip, { language, host: site().host });
    return { done: true };
  });
  register(addSignInMethod, async ({ who, body, call }) => {
    const contact = parseContact(body.to);
    await codes.use(contact, 'add-method', body.code, call.ip);
    const now = clock.now();
    const identity: ContactIdentity = {
      id: makeId('idn', now, randomBytes),
      personId: who.personId,
      ...contact,
      createdAt: new Date(now),
    };
    await told(who, 'contact-added', () => signIn.addMethod(identity));
    return methodView(identity);
  });
  register(removeSignInMethod, async ({ who, params }) => {
    await told(who, 'contact-removed', () => signIn.removeMethod(who.personId, params.id));
    return { id: params.id, deleted: true };
  });
  register(setPassword, async ({ who, body, call }) => {
    const keep = { sessionId: who.sessionId, address: call.ip };
    await told(who, 'password-changed', () =>
      signIn.setPassword(who.personId, body.current, body.password, keep, isFirstPassword),
    );
    return { done: true };
  });
}

function factorRoutes(register: Register, services: MeServices): void {
  const { people, site } = services;
  const { db, passkeys, secondFactor, sessions } = people;
  const told = telling(services);
  const labelOf = async (personId: string) => (await selectIdentities(db, [personId]))[0]?.value ?? personId;
  register(listPasskeys, async ({ who }) => page((await passkeys.list(who.personId)).map(passkeyView)));
  register(beginPasskey, async ({ who }) => passkeys.beginAdding(who.personId, await labelOf(who.personId), site()));
  register(addPasskey, async ({ who, body }) => {
    const add = () => passkeys.add(who.personId, body.name, body.ticket, body.response as Json, site());
    const passkey = await told(who, 'passkey-added', add);
    // The device has just verified its user, so this session counts as freshly proved.
    await sessions.markSecondFactor(who.sessionId);
    return passkeyView(passkey);
  });
  register(removePasskey, async ({ who, params }) => {
    await told(who, 'passkey-removed', () => passkeys.remove(who.personId, params.id));
    return { id: params.id, deleted: true };
  });
  register(beginTotp, async ({ who }) => secondFactor.begin(who.personId, await labelOf(who.personId)));
  register(confirmTotp, async ({ who, body }) => {
    const confirm = () => secondFactor.confirm(who.personId, body.code);
    const recovery = await told(who, 'second-factor-on', confirm);
    // This session has just given a code, so it counts as freshly proved.
    await sessions.markSecondFactor(who.sessionId);
    return { recovery_codes: recovery };
  });
  register(removeTotp, async ({ who, body }) => {
    await told(who, 'second-factor-off', () => secondFactor.remove(who.personId, body.code));
    return { done: true };
  });
}

async function membershipOf(people: People, personId: string, accountId: string): Promise<Membership> {
  const found = (await people.members.ofPerson(personId)).find((one) => one.accountId === accountId);
  if (!found) throw new GatewayError('not_found');
  return found;
}

function methodView({ id, kind, value, createdAt }: ContactIdentity): ResultOf<typeof addSignInMethod> {
  return { object: 'sign_in_method', id, kind, value, created_at: createdAt.toISOString() };
}
