/** The limits a customer asks for, beside those in force: what approving will do. */
import type { getAccount } from '../../../../server/src/http/admin/routes/accounts.ts';
import type { getTicket } from '../../../../server/src/http/admin/routes/support.ts';
import type { Result } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { useLimitName } from '../../parts/declared.ts';
import { Becomes } from '../../parts/figures.tsx';
import { useShared } from '../../texts/shared.ts';

type Asked = NonNullable<Result<typeof getTicket>['wish']>;

export function LimitRequest({ account, wish, decided }: { account: string; wish: Asked; decided: boolean }) {
  const nameOf = useLimitName();
  const shared = useShared();
  const format = useFormat();
  const now = useRead<typeof getAccount>('GET /api/admin/accounts/:id', { params: { id: account } }).data?.rules;
  const asked = (wish as { rules?: Record<string, unknown> }).rules ?? {};
  const shown = (value: unknown) =>
    value === null || value === undefined ? shared.unlimited : format.money(String(value));
  const unitOf = (value: unknown) => (value === null || value === undefined ? '' : shared.toman);
  const caps = (asked['caps'] ?? {}) as Record<string, unknown>;
  const lines = [
    ...('rpm' in asked ? [{ name: nameOf('rpm'), before: now?.rpm, after: asked['rpm'], unit: '' }] : []),
    ...Object.entries(caps).map(([period, after]) => ({
      name: nameOf(period),
      before: now?.caps?.[period as 'daily'],
      after,
      unit: unitOf(after),
    })),
  ];
  return (
    <dl className="facts">
      {lines.map(({ name, before, after, unit }) => (
        <div className="wish-line" key={name}>
          <dt>{name}</dt>
          <dd className="row keep">
            {!decided && (
              <>
                <span className="dim">{shown(before)}</span>
                <Becomes />
              </>
            )}
            <b>{shown(after)}</b> <span className="unit">{unit}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
