/** Which models `auto` chooses among, the best first. */
import type { listManagedModels } from '@dargah/api/admin/models.ts';
import { useRead } from '../../api/read.ts';
import { ListInput } from '../../parts/list-input.tsx';

export function AutoModels({
  label,
  hint,
  value,
  onChange,
}: {
  label: string;
  hint: string;
  value: string[] | null;
  onChange(next: string[] | null): void;
}) {
  const models = useRead<typeof listManagedModels>('GET /api/admin/models', {}).data?.data ?? [];
  return (
    <div className="field">
      <span className="label">{label}</span>
      <ListInput
        label={label}
        values={value}
        onChange={(next) => onChange(next === null || next.length === 0 ? null : next)}
        suggestions={models.filter(({ kind }) => kind === 'chat').map(({ id }) => id)}
        placeholder="—"
      />
      <span className="hint">{hint}</span>
    </div>
  );
}
