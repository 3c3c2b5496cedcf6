/** Usage as a file: plain CSV, or the columns of FOCUS that FinOps tools read. */
import type { exportUsage } from '@dargah/api/console/usage.ts';
import { useState } from 'react';
import { fetchFile } from '../../api/call.ts';
import { useSayRefusal } from '../../api/read.ts';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { download } from '../../parts/table.tsx';
import type { UsageQuery } from './period.ts';
import { useTexts } from './texts.ts';

export function Files({ query }: { query: UsageQuery }) {
  const texts = useTexts();
  const say = useSayRefusal();
  const [isBusy, setBusy] = useState(false);
  const { interval: _interval, ...filter } = query;
  const take = async (format: 'csv' | 'focus') => {
    if (isBusy) return;
    setBusy(true);
    try {
      const file = await fetchFile<typeof exportUsage>('GET /api/console/usage/export', {
        query: { ...filter, format },
      });
      download(format === 'focus' ? 'usage-focus.csv' : 'usage.csv', file);
    } catch (error) {
      say(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Menu
      label={texts.files}
      className="btn"
      button={
        <>
          <Icon name="save" />
          {texts.files}
        </>
      }
      items={[
        { name: texts.fileCsv, run: () => void take('csv') },
        { name: texts.fileFocus, run: () => void take('focus') },
      ]}
    />
  );
}
