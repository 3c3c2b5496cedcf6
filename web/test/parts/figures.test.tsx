// @vitest-environment happy-dom
/** Charts, amounts and dialogs, without a browser. @process own */
import { fireEvent, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { Chart, type ChartProps } from '../../src/parts/chart.tsx';
import { Confirm } from '../../src/parts/dialog.tsx';
import { Amount, CountOf } from '../../src/parts/figures.tsx';
import { NumberField } from '../../src/parts/form.tsx';
import { show } from './render-part.tsx';

const chart = (more: Partial<ChartProps>): ChartProps => ({
  name: 'Spending by day',
  fileName: 'spending',
  kind: 'lines',
  points: ['2026-11-17'],
  label: (point) => point,
  series: [{ id: 'a', name: 'all', values: [4], exact: ['4.25'] }],
  unit: 'toman',
  show: String,
  ...more,
});

it.each(['lines', 'bars'] as const)('a chart of one point draws it (%s)', (kind) => {
  show(<Chart {...chart({ kind })} />);
  const drawn = [...screen.getByRole('img', { name: 'Spending by day' }).querySelectorAll(':not(.grid):not(g)')];
  expect(drawn.length).toBeGreaterThan(0);
  for (const { outerHTML } of drawn) expect(outerHTML).not.toMatch(/NaN|Infinity/);
});

it('the table of a chart has the exact values', () => {
  show(<Chart {...chart({ showExact: (value) => value })} />);
  expect(screen.queryByRole('table')).toBeNull();
  const button = screen.getByRole('button', { expanded: false });
  fireEvent.click(button);
  expect(screen.getByRole('table').textContent).toContain('4.25');
});

it('an amount is exact to the micro-toman, in the digits of its reader', () => {
  show(<Amount value="1234567.000001" unit />);
  expect(screen.getByTitle('1234567.000001 toman').textContent).toBe('1,234,567.000001 toman');
  show(<Amount value="1234567.000001" />, 'fa');
  expect(screen.getByTitle('1234567.000001 تومان').textContent).toMatch(/^۱٬۲۳۴٬۵۶۷[٫.]۰۰۰۰۰۱$/);
});

it('one is not many', () => {
  const { container, again } = show(<CountOf count={1} of="request" />);
  const one = container.textContent;
  again(<CountOf count={2} of="request" />);
  expect([one, container.textContent]).toEqual(['1 request', '2 requests']);
});

it('a number is typed in the digits of either language; what the server refuses is marked and not given on', () => {
  const onChange = vi.fn();
  show(<NumberField label="سقف" value={null} onChange={onChange} bounds={{ min: 1, max: 5_000 }} />, 'fa');
  const field = screen.getByRole('textbox', { name: 'سقف' });
  fireEvent.change(field, { target: { value: '۱٬۲۵۰' } });
  expect(onChange).toHaveBeenLastCalledWith('1250');
  fireEvent.change(field, { target: { value: '۶۰۰۰' } });
  expect([onChange.mock.calls.length, field.getAttribute('aria-invalid')]).toEqual([1, 'true']);
  fireEvent.change(field, { target: { value: '' } });
  expect(onChange).toHaveBeenLastCalledWith(null);
});

it('what cannot be undone begins at the safe answer, and waits until its name is written', () => {
  const [onConfirm, onClose] = [vi.fn(), vi.fn()];
  show(
    <Confirm title="Revoke key" act="Revoke" keep="Keep it" typed="shop" onConfirm={onConfirm} onClose={onClose}>
      It stops at once.
    </Confirm>,
  );
  expect(document.activeElement?.textContent).toBe('Keep it');
  const act = screen.getByRole('button', { name: 'Revoke' });
  fireEvent.click(act);
  fireEvent.change(screen.getByRole('textbox'), { target: { value: 'shopp' } });
  fireEvent.click(act);
  expect(onConfirm).not.toHaveBeenCalled();
  fireEvent.change(screen.getByRole('textbox'), { target: { value: ' shop ' } });
  fireEvent.click(act);
  expect([onConfirm.mock.calls.length, onClose.mock.calls.length]).toEqual([1, 0]);
});
