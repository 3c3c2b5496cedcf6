/** Money that comes in, each job on its own page: orders, gateways, the seller and our accounts, gift codes. */

import { useLocation } from 'wouter';
import { PageHead } from '../../parts/page-frame.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useTexts } from '../texts.ts';
import { BankAccounts } from './bank-accounts.tsx';
import { Gateways } from './gateways.tsx';
import { GiftCodes } from './gift-codes.tsx';
import { InvoiceSettings } from './invoice-settings.tsx';
import { OrderList } from './orders.tsx';
import { usePaymentTexts } from './texts.ts';

type Tab = 'orders' | 'gateways' | 'seller' | 'gifts';

export default function PaymentsPage({ params }: { params: { tab?: string } }) {
  const texts = useTexts();
  const { tabs } = usePaymentTexts();
  const [, navigate] = useLocation();
  const tab = params.tab ?? 'orders';
  return (
    <>
      <PageHead title={texts.nav.payments}>
        <Segments
          label={texts.nav.payments}
          value={tab as Tab}
          onChange={(next) => navigate(next === 'orders' ? '/operator/payments' : `/operator/payments/${next}`)}
          options={(Object.keys(tabs) as Tab[]).map((id) => [id, tabs[id]] as const)}
        />
      </PageHead>
      <Shown tab={tab} />
    </>
  );
}

function Shown({ tab }: { tab: string }) {
  if (tab === 'gateways') return <Gateways />;
  if (tab === 'gifts') return <GiftCodes />;
  if (tab !== 'seller') return <OrderList />;
  return (
    <div className="stack">
      <InvoiceSettings />
      <BankAccounts />
    </div>
  );
}
