// @vitest-environment happy-dom
/** The line of gates: what is numbered, what a verdict marks, and which rules stand beside it. @process own */
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Gate, Gates } from '../../src/parts/gates.tsx';
import { show } from './render-part.tsx';

const gate = (id: string, judged: readonly string[]): Gate => ({ id, name: id, sentence: `${id}.`, judged });
const textsOf = (list: HTMLElement) =>
  within(list)
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);

it('a rule that refuses nothing stands below the line, without a number or a verdict', () => {
  const gates = [gate('Paused', ['paused']), gate('Webhook', []), gate('Models', ['models'])];
  show(<Gates gates={gates} verdicts={[{ rule: 'paused', verdict: 'refuses', message: 'It is paused.' }]} />);
  const [line, behaviour] = screen.getAllByRole('list') as [HTMLElement, HTMLElement];
  expect(line.tagName).toBe('OL');
  expect(textsOf(line)).toEqual(['PausedPaused.It is paused.', '2ModelsModels.not reached']);
  expect(screen.getByRole('heading', { name: 'Behaviour' })).toBeTruthy();
  expect(textsOf(behaviour)).toEqual(['WebhookWebhook.']);
  expect(behaviour.querySelector('.pass, .halt, .idle, .mark')).toBeNull();
});

it('where no rule is judged, all of them keep their numbers', () => {
  show(<Gates gates={[gate('Cap', []), gate('Rate', [])]} />);
  expect(textsOf(screen.getByRole('list'))).toEqual(['1CapCap.', '2RateRate.']);
  expect(screen.queryByRole('heading', { name: 'Behaviour' })).toBeNull();
});
