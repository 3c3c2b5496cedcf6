/** The wallet: what is there, putting money in, and every movement with its papers. */

import type { getWallet } from '@dargah/api/console/own-money.ts';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useAddress } from '../../address.ts';
import { useRead } from '../../api/read.ts';
import { Amount } from '../../parts/figures.tsx';
import { PageHead } from '../../parts/page-frame.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useOwnAccount } from '../../session.tsx';
import { useTexts } from '../../texts/wallet-texts.ts';
import { Identity } from './identity.tsx';
import { Movements } from './movements.tsx';
import { Invoices, Orders } from './orders.tsx';
import { OrderPage } from './own-order.tsx';
import { TopUp } from './top-up.tsx';

type Tab = 'top' | 'transfers' | 'orders' | 'invoices' | 'identity';

export default function WalletPage({ params }: { params: { tab?: string; id?: string } }) {
  useFormerAddress();
  return params.tab === 'orders' && params.id !== undefined ? (
    <OrderPage key={params.id} id={params.id} />
  ) : (
    <WalletTabs tab={(params.tab ?? 'top') as Tab} />
  );
}

function WalletTabs({ tab }: { tab: Tab }) {
  const texts = useTexts();
  const [, navigate] = useLocation();
  const own = useOwnAccount();
  const mayPay = own !== undefined && ['owner', 'admin', 'billing'].includes(own.role);
  const wallet = useRead<typeof getWallet>('GET /api/console/wallet', {});
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        {mayPay && (
          <Segments
            label={texts.title}
            value={tab}
            onChange={(next) => navigate(next === 'top' ? '/console/wallet' : `/console/wallet/${next}`)}
            options={(Object.keys(texts.tabs) as Tab[]).map((id) => [id, texts.tabs[id]] as const)}
          />
        )}
      </PageHead>
      <div className="stack">
        <section className="panel" aria-label={texts.balance}>
          {wallet.error !== null && wallet.data === undefined ? (
            <Trouble error={wallet.error} again={() => void wallet.refetch()} />
          ) : (
            <div className="strip">
              {(['available', 'held', 'balance'] as const).map((field) => (
                <div className="stat" key={field}>
                  <div className="stat-name">{texts[field]}</div>
                  <div className="stat-value big">
                    {wallet.data === undefined ? (
                      <span className="skel w1" />
                    ) : (
                      <Amount value={wallet.data[field]} unit tone={field === 'held' ? 'held' : ''} />
                    )}
                  </div>
                </div>
              ))}
            </div>
          )}
        </section>
        {mayPay && tab === 'top' && <TopUp />}
        {mayPay && tab === 'transfers' && <Movements />}
        {mayPay && tab === 'orders' && <Orders />}
        {mayPay && tab === 'invoices' && <Invoices />}
        {mayPay && tab === 'identity' && <Identity />}
      </div>
    </>
  );
}

/** Older mails name the order in the query. */
function useFormerAddress(): void {
  const [, navigate] = useLocation();
  const order = useAddress().get('order');
  useEffect(() => {
    if (order !== undefined) navigate(`/console/wallet/orders/${order}`, { replace: true });
  }, [order, navigate]);
}
