/** People as staff sees them: staff itself, persons, the outbox of the sandbox messenger, viewing as a customer. */

import { changeMessenger, getMessenger, listOutbox, tryMessenger } from '@dargah/api/admin/messenger-settings.ts';
import {
  addStaff,
  changePerson,
  changeStaff,
  endPersonSessions,
  endViewAs,
  listPeople,
  listPersonSessions,
  listStaff,
  removeStaff,
  staffSignIn,
  viewAs,
} from '@dargah/api/admin/people.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { ResultOf } from '@dargah/api/describe-route.ts';
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { AccountService } from '../../accounts/index.ts';
import { GatewayError } from '../../core/errors.ts';
import { refuseCursor } from '../../keys/index.ts';
import { type CarrierDirectory, listOutbox as listMessages } from '../../messages/index.ts';
import {
  type Identity,
  type ListedPerson,
  type People,
  type Person,
  type PersonList,
  parseContact,
  type StaffMember,
  selectIdentities,
  selectPerson,
  trialMessage,
  updatePerson,
} from '../../people/index.ts';
import type { RecordChange } from '../../platform/audit-log.ts';
import { startOfPage } from '../../platform/db/pages.ts';
import { entered, signInClientOf } from '../console/sign-in.ts';
import { ownAccountView, sessionView } from '../console/views.ts';
import type { Register } from '../routes/register.ts';
import { timeInput } from '../time-input.ts';
import { type ListOfStaff, listPage, totalOf } from './staff-list.ts';

export interface StaffServices {
  people: People;
  accounts: AccountService;
  record: RecordChange;
  isFirstPassword(text: string): boolean;
  /** Called when a carrier accepted a test message. */
  messageCarried(carrier: string, actor: string): Promise<void>;
  carriers: CarrierDirectory;
  personList: PersonList;
}

type StaffView = ResultOf<typeof changeStaff>;
type PersonView = ResultOf<typeof changePerson>;

const VIEW_MS = HOUR_MS;

export function peopleRoutes(register: Register, services: StaffServices): ListOfStaff<typeof listPeople> {
  const { people, isFirstPassword } = services;
  const list = listOfPeople(people, services.personList);
  register(listPeople, ({ query, who }) => list.read(query, { ...who, use: 'list' }));
  const { db, signIn, staff } = people;
  register(staffSignIn, async ({ body, visit }) => {
    const signInClient = signInClientOf(visit);
    const entry =
      body.to === undefined
        ? await signIn.withOperatorPassword(body.password, isFirstPassword(body.password), signInClient)
        : await signIn.withPassword(body.to, body.password, signInClient);
    return entered(people, entry, visit);
  });
  register(listStaff, async () => page(await staffViews(people, await staff.list())));
  register(addStaff, async ({ body, actor, language }) => {
    const contact = parseContact(body.to);
    const personId = await db.transaction(async (tx) => {
      const id = await people.signUp.personFor(tx, contact, body.name, language);
      await staff.add(tx, id, body.role, actor);
      return id;
    });
    return oneStaff(people, personId);
  });
  register(changeStaff, async ({ params, body, actor }) => {
    await staff.change(params.id, body.role, actor);
    return oneStaff(people, params.id);
  });
  register(removeStaff, async ({ params, actor }) => {
    await staff.remove(params.id, actor);
    return { id: params.id, deleted: true };
  });
  register(listOutbox, async ({ query }) => {
    const { items, next } = await listMessages(db, startOfPage(query) ?? refuseCursor());
    return page(
      items.map((message) => ({ ...message, at: message.at.toISOString() })),
      next,
    );
  });
  register(getMessenger, async () => {
    const { sandbox, carriers } = people.messenger;
    const shown = carriers.map(({ name, channel }) => ({ name, channel }));
    return { object: 'messenger' as const, sandbox, carriers: shown, settings: await services.carriers.list() };
  });
  register(changeMessenger, ({ params, body, actor }) => services.carriers.change(params.id, body, actor));
  register(tryMessenger, async ({ body, language, actor }) => {
    // Trials are limited, because each may cost a message.
    await people.attempts.count([{ counter: 'messenger-test', max: 20, spanMs: HOUR_MS }]);
    const message = trialMessage(parseContact(body.to), language, people.brand());
    const trials = await people.messenger.trial(message);
    const carrier = trials.find(({ failure }) => failure === null)?.carrier;
    if (carrier !== undefined) await services.messageCarried(carrier, actor);
    return { object: 'messenger_test' as const, sandbox: people.messenger.sandbox, trials };
  });
  personRoutes(register, services);
  return list;
}

function listOfPeople(people: People, list: PersonList): ListOfStaff<typeof listPeople> {
  return {
    id: 'people',
    route: listPeople,
    async read(query, { use }) {
      const { q: words, state, role, after, limit = 50 } = query;
      const seen = { seenFrom: timeInput(query.seen_from, 'seen_from'), seenTo: timeInput(query.seen_to, 'seen_to') };
      const filter = { words, state, role, ...seen };
      const found = await list.page(filter, { after: after ?? null, limit, use });
      const total = use === 'job' ? null : await totalOf(after, (max) => list.count(filter, max));
      return listPage(await listedPersons(people, found.rows), found, { total });
    },
    columns: {
      id: (row) => row.id,
      name: (row) => row.name,
      contacts: (row) => row.contacts.join(' '),
      accounts: (row) => row.accounts.map(({ id }) => id).join(' '),
      staff_role: (row) => row.staff_role,
      blocked: (row) => row.blocked,
      seen_at: (row) => row.seen_at,
      created_at: (row) => row.created_at,
    },
  };
}

function personRoutes(register: Register, { people, accounts, record }: StaffServices): void {
  const { db, sessions, clock, staff } = people;
  register(changePerson, async ({ params, body, actor, who }) => {
    const person = await selectPerson(db, params.id);
    // Support may block customers; only an owner may block staff.
    if ((await staff.find(person.id)) && who.role !== 'owner') throw new GatewayError('forbidden');
    if (person.id === who.personId) throw new GatewayError('conflict');
    await db.transaction(async (tx) => {
      await updatePerson(tx, person.id, { blockedAt: body.blocked ? new Date(clock.now()) : null });
      if (body.blocked) await sessions.endAll(person.id, null, tx);
      await record(tx, actor, body.blocked ? 'person.block' : 'person.unblock', person.id, {});
    });
    return personView(people, await selectPerson(db, person.id), await selectIdentities(db, [person.id]));
  });
  register(listPersonSessions, async ({ params, who }) => {
    const { id } = await selectPerson(db, params.id);
    return page((await sessions.list(id)).map((session) => sessionView(session, who.sessionId)));
  });
  register(endPersonSessions, async ({ params, actor, who }) => {
    const { id } = await selectPerson(db, params.id);
    if ((await staff.find(id)) && who.role !== 'owner') throw new GatewayError('forbidden');
    const ended = await db.transaction(async (tx) => {
      await record(tx, actor, 'person.sign_out', id, {});
      return sessions.endAll(id, null, tx);
    });
    return { ended };
  });
  register(viewAs, async ({ params, body, actor, who }) => {
    // A token has no session in which to view an account as its customer.
    if (who.sessionId === null) throw new GatewayError('forbidden');
    const { id } = await accounts.get(params.id);
    const until = new Date(clock.now() + VIEW_MS);
    await db.transaction((tx) => record(tx, actor, 'account.view_as', id, { account_id: id, reason: body.reason }));
    await sessions.view(who.sessionId, id, until);
    return { account_id: id, until: until.toISOString() };
  });
  register(endViewAs, async ({ who }) => {
    if (who.sessionId !== null) await sessions.view(who.sessionId, null, null);
    return { done: true };
  });
}

async function oneStaff(people: People, personId: string): Promise<StaffView> {
  const found = await people.staff.find(personId);
  if (!found) throw new GatewayError('not_found');
  const identities = await selectIdentities(people.db, [personId]);
  return staffView(found, identities);
}

async function staffViews(people: People, list: readonly StaffMember[]): Promise<StaffView[]> {
  const identities = await selectIdentities(
    people.db,
    list.map(({ personId }) => personId),
  );
  return list.map((member) => staffView(member, identities));
}

function staffView(
  { personId, name, role, secondFactor, createdAt }: StaffMember,
  identities: readonly Identity[],
): StaffView {
  return {
    object: 'staff',
    id: personId,
    name,
    role,
    contacts: contactsOf(identities, personId),
    second_factor: secondFactor,
    created_at: createdAt.toISOString(),
  };
}

/** Shows a whole page with one query for contacts and one for accounts. */
async function listedPersons(people: People, persons: readonly ListedPerson[]) {
  const ids = persons.map(({ id }) => id);
  const identities = await selectIdentities(people.db, ids);
  const memberships = await people.members.ofPersons(ids);
  const nowMs = people.clock.now();
  return persons.map(({ id, name, blockedAt, createdAt, staffRole, seenAt }) => ({
    object: 'person' as const,
    id,
    name,
    contacts: contactsOf(identities, id),
    accounts: memberships.filter(({ personId }) => personId === id).map((one) => ownAccountView(one, nowMs)),
    blocked: blockedAt !== null,
    created_at: createdAt.toISOString(),
    staff_role: staffRole,
    seen_at: seenAt?.toISOString() ?? null,
  }));
}

async function personView(
  people: People,
  { id, name, blockedAt, createdAt }: Person,
  identities: readonly Identity[],
): Promise<PersonView> {
  return {
    object: 'person',
    id,
    name,
    contacts: contactsOf(identities, id),
    accounts: (await people.members.ofPerson(id)).map((one) => ownAccountView(one, people.clock.now())),
    blocked: blockedAt !== null,
    created_at: createdAt.toISOString(),
  };
}

function contactsOf(identities: readonly Identity[], personId: string): string[] {
  return identities.filter((one) => one.personId === personId && one.kind !== 'name').map(({ value }) => value);
}
