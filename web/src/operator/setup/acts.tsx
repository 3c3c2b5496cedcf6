/** What leads on from a step: the page where it is done, or the test itself. */

import type { changeInvoiceSettings } from '@dargah/api/admin/invoicing.ts';
import type { testProvider } from '@dargah/api/admin/operations.ts';
import type { beginPayment } from '@dargah/api/admin/payments.ts';
import type { getSetup } from '@dargah/api/admin/setup.ts';
import type { SetupStep } from '@dargah/core/setup-steps.ts';
import { Link } from 'wouter';
import type { Result } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { Id } from '../../parts/copyable.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useStaffMay } from '../may.ts';
import { useSetupTexts } from './texts.ts';

type Step = Result<typeof getSetup>['steps'][number];

const SETUP = 'GET /api/admin/setup';
const BACKUP_LINE = 'npm run dargah -- backups done /backups/dargah.dump';
const TEST_AMOUNT = 1_000;

const PAGES: Record<SetupStep, string> = {
  password: '/console/settings/security',
  identity: '/operator/settings',
  provider: '/operator/providers',
  models: '/operator/models',
  pricing: '/operator/models',
  payment: '/operator/payments',
  messenger: '/operator/settings',
  vat: '/operator/payments',
  backup: '/operator/setup',
  second_owner: '/operator/staff',
  first_sale: '/operator/accounts',
};

export function StepActs({ step }: { step: Step }) {
  const texts = useSetupTexts();
  const mayPay = useStaffMay<typeof beginPayment>(['owner', 'finance']);
  const mayTest = useStaffMay<typeof testProvider>(['owner']);
  const { id, state, seen } = step;
  if (state === 'done') {
    if (id === 'first_sale' && seen !== null) return <Small to={`/operator/requests/${seen}`} name={texts.receipt} />;
    return id === 'provider' && mayTest && seen !== null ? <TestProvider id={seen} /> : null;
  }
  if (id === 'backup') return null;
  return (
    <>
      {id === 'provider' && mayTest && seen !== null && <TestProvider id={seen} />}
      {id === 'vat' && mayPay && <NoTax />}
      {id === 'payment' && mayPay && seen !== null && <TestPayment gateway={seen} />}
      {id === 'identity' && step.lacks.includes('seller') && <Small to="/operator/payments" name={texts.seller} />}
      {(id !== 'identity' || step.lacks.some((lack) => lack !== 'seller')) && (
        <Small to={PAGES[id]} name={texts.go[id]} />
      )}
    </>
  );
}

function Small({ to, name }: { to: string; name: string }) {
  // The console is a page of its own, which the browser loads.
  if (to.startsWith('/console'))
    return (
      <a href={to} className="btn small">
        {name}
      </a>
    );
  return (
    <Link href={to} className="btn small">
      {name}
    </Link>
  );
}

/** The last line of a backup script. */
export function BackupLine() {
  return <Id value={BACKUP_LINE} copy />;
}

/** Nothing is generated, so it costs nothing. */
function TestProvider({ id }: { id: string }) {
  const texts = useSetupTexts();
  const test = useChange<typeof testProvider>('POST /api/admin/providers/:id/test', {
    stale: [SETUP, 'GET /api/admin/providers'],
  });
  return (
    <button
      type="button"
      className="btn small"
      disabled={test.isPending}
      onClick={() => test.mutate({ params: { id } })}
    >
      {texts.testAgain}
    </button>
  );
}

/** The operator pays a small sum as a customer would; the step sees it when the gateway says so. */
function TestPayment({ gateway }: { gateway: string }) {
  const texts = useSetupTexts();
  const begin = useChange<typeof beginPayment>('POST /api/admin/payments', {
    stale: ['GET /api/admin/payments', SETUP],
  });
  return (
    <>
      <button
        type="button"
        className="btn small"
        disabled={begin.isPending}
        onClick={() => begin.mutate({ body: { account_id: 'operator', gateway, amount: TEST_AMOUNT } })}
      >
        {texts.pay}
      </button>
      {begin.data !== undefined && (
        <Dialog
          title={texts.payTitle}
          onClose={() => begin.reset()}
          footer={
            begin.data.redirect_url !== null && (
              <a className="btn main" href={begin.data.redirect_url} rel="noreferrer">
                {texts.payGo}
              </a>
            )
          }
        >
          <p>{texts.payText}</p>
          <p>
            {texts.order} <Id value={begin.data.id} copy />
          </p>
        </Dialog>
      )}
    </>
  );
}

/** Zero is a valid rate, once somebody has set it. */
function NoTax() {
  const texts = useSetupTexts();
  const save = useChange<typeof changeInvoiceSettings>('PATCH /api/admin/invoice-settings', {
    stale: [SETUP, 'GET /api/admin/invoice-settings'],
  });
  return (
    <button
      type="button"
      className="btn small"
      disabled={save.isPending}
      onClick={() => save.mutate({ body: { vat_percent: '0' } })}
    >
      {texts.noTax}
    </button>
  );
}
