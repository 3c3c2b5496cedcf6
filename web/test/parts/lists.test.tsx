// @vitest-environment happy-dom
/** Tables, menus, chips and choices, without a browser. @process own */
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { ListInput } from '../../src/parts/list-input.tsx';
import { Menu } from '../../src/parts/menu.tsx';
import { Segments } from '../../src/parts/segments.tsx';
import { type Column, MoreButton, Table } from '../../src/parts/table.tsx';
import { show } from './render-part.tsx';

interface Row {
  id: string;
  name: string;
}
const COLUMNS: Column<Row>[] = [
  { id: 'name', head: 'Name', cell: ({ name }) => name, fold: 'c1' },
  { id: 'act', head: '', cell: ({ id }) => <button type="button">{`stop ${id}`}</button>, fold: 'c2' },
];
const ROWS = [
  { id: 'a', name: 'first' },
  { id: 'b', name: 'second' },
];
const table = (more: object) => <Table label="Keys" columns={COLUMNS} idOf={({ id }) => id} rows={ROWS} {...more} />;

it('a table that is being read shows the shape of its rows, and says that it is busy', () => {
  show(table({ rows: undefined, skeleton: 3 }));
  const busy = screen.getByRole('table', { name: 'Keys' });
  expect(busy.getAttribute('aria-busy')).toBe('true');
  expect(busy.querySelectorAll('tbody tr')).toHaveLength(3);
});

it('a table without rows says what to do instead of showing its head', () => {
  show(table({ rows: [], empty: <p>Make your first key</p> }));
  expect(screen.getByText('Make your first key')).toBeTruthy();
  expect(screen.queryByRole('table')).toBeNull();
});

it('a row opens by click and by Enter; a button in it does its own work alone', () => {
  const onOpen = vi.fn();
  show(table({ onOpen }));
  const row = screen.getByText('second').closest('tr') as HTMLElement;
  fireEvent.click(screen.getByText('second'));
  fireEvent.keyDown(row, { key: 'Enter' });
  expect(onOpen.mock.calls.map(([{ id }]) => id)).toEqual(['b', 'b']);
  fireEvent.click(within(row).getByRole('button'));
  fireEvent.keyDown(within(row).getByRole('button'), { key: 'Enter' });
  expect(onOpen).toHaveBeenCalledTimes(2);
});

it('older rows are asked for once at a time, and never where there are none', () => {
  const onMore = vi.fn();
  const { again } = show(<MoreButton more busy={false} onMore={onMore} />, 'fa');
  fireEvent.click(screen.getByRole('button', { name: 'قدیمی‌ترها' }));
  again(<MoreButton more busy onMore={onMore} />);
  fireEvent.click(screen.getByRole('button'));
  expect(onMore).toHaveBeenCalledTimes(1);
  again(<MoreButton more={false} busy={false} onMore={onMore} />);
  expect(screen.queryByRole('button')).toBeNull();
});

it('arrows walk through a menu and around its ends', () => {
  const run = vi.fn();
  const items = ['copy', 'revoke'].map((name) => ({ name, run: () => run(name) }));
  show(<Menu label="Actions" items={items} />);
  const [copy, revoke] = screen.getAllByRole('menuitem', { hidden: true }) as [HTMLElement, HTMLElement];
  copy.focus();
  fireEvent.keyDown(copy, { key: 'ArrowDown' });
  expect(document.activeElement).toBe(revoke);
  fireEvent.keyDown(revoke, { key: 'ArrowDown' });
  expect(document.activeElement).toBe(copy);
  fireEvent.keyDown(copy, { key: 'ArrowUp' });
  expect(document.activeElement).toBe(revoke);
});

it('a list takes several entries at once, each once, with the comma of either language', () => {
  const onChange = vi.fn();
  const input = (values: string[] | null) => (
    <ListInput
      label="Addresses"
      placeholder="all"
      values={values}
      onChange={onChange}
      bounds={{ maxItems: 3, maxLength: 40 }}
    />
  );
  const { again } = show(input(['10.0.0.1']));
  const field = screen.getByRole('textbox', { name: 'Addresses' });
  fireEvent.change(field, { target: { value: '10.0.0.2، 10.0.0.1 10.0.0.3,10.0.0.4,' } });
  expect(onChange).toHaveBeenLastCalledWith(['10.0.0.1', '10.0.0.2', '10.0.0.3']);
  again(input(['10.0.0.1']));
  fireEvent.click(screen.getByRole('button'));
  expect(onChange).toHaveBeenLastCalledWith(null);
});

it('of a few choices the chosen one is pressed', () => {
  const onChange = vi.fn();
  const options = [
    ['day', 'روز'],
    ['month', 'ماه'],
  ] as const;
  show(<Segments<'day' | 'month'> label="بازه" value="day" options={options} onChange={onChange} />, 'fa');
  expect(screen.getByRole('button', { pressed: true }).textContent).toBe('روز');
  fireEvent.click(screen.getByRole('button', { name: 'ماه' }));
  expect(onChange).toHaveBeenCalledWith('month');
});
