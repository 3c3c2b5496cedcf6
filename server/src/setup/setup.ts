/**
 * The first-run guide: where an installation stands between its first password and its first sold answer. Every step
 * checks the facts itself; nobody ticks anything. The owner may dismiss the guide, which changes no step.
 */
import type { SetupLack, SetupStep } from '@dargah/core/setup-steps.ts';
import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { Branding } from '../branding/index.ts';
import type { CatalogAdmin, CatalogSnapshot } from '../catalog/index.ts';
import type { Clock } from '../core/clock.ts';
import type { RandomBytes } from '../core/ids.ts';
import type { Messenger } from '../messages/index.ts';
import { MOVES_NO_MONEY, type Payments } from '../payments/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import type { Database } from '../platform/db/index.ts';
import { dropEvidence, type Evidence, readEvidence, type Witnessed, writeEvidence } from './evidence.ts';
import { findPayment, findSale, isVatSaid, readOwners, readRealProviders } from './facts.ts';

export interface StepView {
  id: SetupStep;
  /** `failed`: what was tried did not work. */
  state: 'done' | 'open' | 'failed';
  lacks: SetupLack[];
  /** What was found: a provider, an order, a request; null: nothing to name. */
  seen: string | null;
  at: string | null;
}

export interface SetupView {
  object: 'setup';
  done: boolean;
  dismissed: { by: string; at: string } | null;
  steps: StepView[];
}

export interface Setup {
  view(): Promise<SetupView>;
  dismiss(dismissed: boolean, actor: string): Promise<SetupView>;
  /** Called when a carrier accepted a test message. */
  messageCarried(carrier: string, actor: string): Promise<void>;
  /** Called when a backup reports where it is stored. */
  backupMade(place: string, actor: string): Promise<Date>;
}

export interface SetupOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  branding: Branding;
  catalog: () => CatalogSnapshot;
  selling: Pick<CatalogAdmin['selling'], 'view'>;
  messenger: Pick<Messenger, 'sandbox' | 'carriers'>;
  payments: Pick<Payments, 'gateways' | 'settings'>;
}

/** Backups are made daily, so one that has reported nothing for two days has stopped. */
const BACKUP_OLD_MS = 2 * DAY_MS;

type Known = ReadonlyMap<string, Evidence>;

export function createSetup(options: SetupOptions): Setup {
  const { db, clock } = options;
  const record = createChangeRecorder(options, 'setting');
  const keep = (step: Witnessed, what: string, actor: string, at = new Date(clock.now())) =>
    writeEvidence(db, step, { what, actor, at });

  const view = async (): Promise<SetupView> => {
    const known = await readEvidence(db);
    const owners = await readOwners(db);
    const steps: StepView[] = [
      step('password', [
        [!owners.firstPasswordReplaced, 'own_password'],
        [owners.withSecondFactor === 0, 'second_factor'],
      ]),
      await identityStep(options),
      await providerStep(options),
      modelsStep(options),
      await pricingStep(options),
      await paymentStep(options, known, keep),
      messengerStep(options, known),
      step('vat', [[!(await isVatSaid(db)), 'vat']]),
      backupStep(known, clock.now()),
      step('second_owner', [
        [owners.owners < 2, 'owner'],
        [owners.owners >= 2 && owners.withSecondFactor < 2, 'second_factor'],
      ]),
      await saleStep(options, known, keep),
    ];
    const gone = known.get('dismissed');
    return {
      object: 'setup',
      done: steps.every(({ state }) => state === 'done'),
      dismissed: gone ? { by: gone.actor, at: gone.at.toISOString() } : null,
      steps,
    };
  };

  return {
    view,
    async dismiss(dismissed, actor) {
      await db.transaction(async (tx) => {
        const at = new Date(clock.now());
        if (dismissed) await writeEvidence(tx, 'dismissed', { what: 'guide', actor, at });
        else await dropEvidence(tx, 'dismissed');
        await record(tx, actor, 'setup.dismiss', 'setup', { after: { dismissed } });
      });
      return view();
    },
    messageCarried: (carrier, actor) => keep('messenger', carrier, actor),
    async backupMade(place, actor) {
      const at = new Date(clock.now());
      await keep('backup', place, actor, at);
      return at;
    },
  };
}

function step(
  id: SetupStep,
  tests: readonly (readonly [lacking: boolean, SetupLack])[],
  seen: { what: string; at: Date | null } | undefined = undefined,
  failed = false,
): StepView {
  const lacks = tests.filter(([lacking]) => lacking).map(([, name]) => name);
  const state = failed ? 'failed' : lacks.length === 0 ? 'done' : 'open';
  return { id, state, lacks, seen: seen?.what || null, at: seen?.at?.toISOString() ?? null };
}

async function identityStep({ branding, payments }: SetupOptions): Promise<StepView> {
  const { name_fa, name_en, support_phone, support_email, support_address } = branding.stored();
  const { seller } = await payments.settings.read();
  return step('identity', [
    [name_fa === null && name_en === null, 'name'],
    [branding.current().logo === null, 'logo'],
    [support_phone === null && support_email === null && support_address === null, 'contact'],
    [seller === null, 'seller'],
  ]);
}

async function providerStep({ db, catalog }: SetupOptions): Promise<StepView> {
  const [best, ...others] = await readRealProviders(db);
  if (!best) return step('provider', [[true, 'provider']]);
  const usable = catalog().providers;
  const tested = [best, ...others].find(({ id, tested_ok: ok }) => ok === true && usable.has(id));
  if (tested) return step('provider', [], { what: tested.id, at: tested.tested_at });
  const tests = [
    [!usable.has(best.id), 'provider_key'],
    [true, 'provider_test'],
  ] as const;
  return step('provider', tests, { what: best.id, at: best.tested_at }, best.tested_ok === false);
}

function modelsStep({ catalog }: SetupOptions): StepView {
  const real = [...catalog().models.values()].filter(({ simulated }) => !simulated);
  return step('models', [[real.length === 0, 'models']], { what: String(real.length), at: null });
}

async function pricingStep({ selling }: SetupOptions): Promise<StepView> {
  const { confirmed, look_again: lookAgain, at, exchange_rate: rate } = await selling.view();
  const since = at === null ? null : new Date(at);
  return step('pricing', [[!confirmed || lookAgain, 'confirmation']], { what: rate, at: since });
}

type Keep = (step: Witnessed, what: string, actor: string, at?: Date) => Promise<void>;

async function paymentStep({ db, payments }: SetupOptions, known: Known, keep: Keep): Promise<StepView> {
  const real = (await payments.gateways.list()).filter(({ id, available }) => available && !MOVES_NO_MONEY.has(id));
  const paid = await remembered(known, 'payment', keep, () =>
    findPayment(
      db,
      real.map(({ id }) => id),
    ),
  );
  const [first] = real;
  const seen = paid ?? (first && { what: first.id, at: null });
  return step(
    'payment',
    [
      [real.length === 0, 'gateway'],
      [paid === undefined, 'payment'],
    ],
    seen,
  );
}

function messengerStep({ messenger }: SetupOptions, known: Known): StepView {
  const { sandbox, carriers } = messenger;
  const taken = known.get('messenger');
  // A message that one carrier accepted proves nothing about the carrier that is set up now.
  const proven = taken && carriers.some(({ name }) => name === taken.what) ? taken : undefined;
  const none = sandbox || carriers.length === 0;
  return step(
    'messenger',
    [
      [none, 'carrier'],
      [proven === undefined, 'message'],
    ],
    proven,
  );
}

function backupStep(known: Known, nowMs: number): StepView {
  const last = known.get('backup');
  const isOld = last !== undefined && nowMs - last.at.getTime() > BACKUP_OLD_MS;
  return step(
    'backup',
    [
      [last === undefined, 'backup'],
      [isOld, 'new_backup'],
    ],
    last,
    isOld,
  );
}

async function saleStep({ db }: SetupOptions, known: Known, keep: Keep): Promise<StepView> {
  const sale = await remembered(known, 'first_sale', keep, () => findSale(db));
  return step('first_sale', [[sale === undefined, 'sale']], sale);
}

async function remembered(
  known: Known,
  name: Witnessed,
  keep: Keep,
  look: () => Promise<{ id: string; at: Date } | undefined>,
): Promise<{ what: string; at: Date } | undefined> {
  const before = known.get(name);
  if (before) return before;
  const found = await look();
  if (!found) return undefined;
  await keep(name, found.id, 'setup', found.at);
  return { what: found.id, at: found.at };
}
