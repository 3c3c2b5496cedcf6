/** A payment gateway by its name; the id alone until the names are read. */
import type { listPaymentGateways } from '@dargah/api/admin/ways-to-pay.ts';
import { useRead } from '../api/read.ts';
import { Id } from '../parts/copyable.tsx';
import { usePreferences } from '../preferences.tsx';

export function GatewayName({ id }: { id: string }) {
  const { language } = usePreferences();
  const read = useRead<typeof listPaymentGateways>('GET /api/admin/payment-gateways', {});
  const name = read.data?.data.find((one) => one.id === id)?.name[language];
  return name === undefined ? <Id value={id} /> : <bdi>{name}</bdi>;
}
