/**
 * Nothing is sold by an unconfirmed rate and margin. This is shown wherever prices are made, with the one button that
 * confirms them.
 */
import type { confirmSelling, getSelling } from '@dargah/api/admin/offers.ts';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { AskingButton } from '../../parts/dialog.tsx';
import { Note } from '../../parts/page-frame.tsx';
import { useToast } from '../../parts/toast.tsx';
import { dictionary } from '../../texts/dictionary.tsx';
import { WhoMay } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';

const fa = {
  closed: (rate: string, margin: string) =>
    `فروش هنوز باز نیست: نرخ ${rate} تومان و حاشیهٔ ${margin} را کسی تأیید نکرده است. تا آن زمان مدل‌هایی که قیمتشان از نرخ می‌آید فقط به حساب «operator» پاسخ می‌دهند.`,
  again: (rate: string, margin: string) =>
    `فروش از نسخهٔ پیش باز مانده است. یک بار نرخ ${rate} تومان و حاشیهٔ ${margin} را ببینید و تأیید کنید.`,
  confirm: 'تأیید نرخ و حاشیه',
  ask: 'فروش با این نرخ و حاشیه باز شود؟',
  askText: (rate: string, margin: string) =>
    `هر دلار ${rate} تومان، ${margin} روی قیمت خرید. از همین لحظه مشتریان با این قیمت‌ها خرید می‌کنند؛ هر دو را هر وقت بخواهید می‌توانید عوض کنید.`,
  done: 'فروش باز شد.',
};

const en: typeof fa = {
  closed: (rate, margin) =>
    `Sales are not open: nobody has confirmed the rate of ${rate} toman and the margin of ${margin}. Until then models priced by them answer only the account “operator”.`,
  again: (rate, margin) =>
    `Sales stayed open from the version before. Look once at the rate of ${rate} toman and the margin of ${margin}, and confirm them.`,
  confirm: 'Confirm rate and margin',
  ask: 'Sell at this rate and margin?',
  askText: (rate, margin) =>
    `A dollar is ${rate} toman, with ${margin} on top of what it costs. From now on customers buy at these prices; you can change both at any time.`,
  done: 'Sales are open.',
};

const useTexts = dictionary(fa, en);

export function SellingNote() {
  const texts = useTexts();
  const format = useFormat();
  const toast = useToast();
  const selling = useRead<typeof getSelling>('GET /api/admin/selling', {}).data;
  const mayConfirm = useStaffMay<typeof confirmSelling>(['owner', 'finance']);
  const confirm = useChange<typeof confirmSelling>('POST /api/admin/selling/confirm', {
    stale: ['GET /api/admin/selling', 'GET /api/admin/providers/:id/offer'],
    done: () => toast({ text: texts.done }),
  });
  if (selling === undefined || (selling.confirmed && !selling.look_again)) return null;
  const rate = format.money(selling.exchange_rate);
  const margin = format.percent(Number(selling.margin), 2);
  return (
    <Note tone="warn">
      <div className="row between">
        <span>{selling.confirmed ? texts.again(rate, margin) : texts.closed(rate, margin)}</span>
        {mayConfirm ? (
          <AskingButton
            title={texts.ask}
            text={texts.askText(rate, margin)}
            danger={false}
            onConfirm={() => confirm.mutate({ body: { exchange_rate: selling.exchange_rate, margin: selling.margin } })}
          >
            {texts.confirm}
          </AskingButton>
        ) : (
          <WhoMay<typeof confirmSelling> roles={['owner', 'finance']} />
        )}
      </div>
    </Note>
  );
}
