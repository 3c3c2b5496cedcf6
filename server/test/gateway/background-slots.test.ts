import { describe, expect, it } from 'vitest';
import { BackgroundAnswers } from '../../src/gateway/index.ts';

function open() {
  let cancel: (id: string) => void = () => undefined;
  const store = {
    onCancel: (listener: (id: string) => void) => {
      cancel = listener;
    },
  };
  const answers = new BackgroundAnswers(store, { running: 3, runningOfAccount: 2, bodyBytes: 100 });
  return { answers, cancel: (id: string) => cancel(id) };
}

describe('answers in the background', () => {
  it('of one account never take the places of all others', () => {
    const { answers } = open();
    const first = answers.enter('greedy', 1);
    answers.enter('greedy', 1);
    expect(() => answers.enter('greedy', 1)).toThrowError(expect.objectContaining({ code: 'rate_limited' }));
    answers.enter('modest', 1);
    expect(() => answers.enter('late', 1)).toThrowError(expect.objectContaining({ code: 'overloaded' }));
    first.leave();
    answers.enter('late', 1);
  });

  it('hold no more memory than is set apart for their bodies', () => {
    const { answers } = open();
    const first = answers.enter('acme', 60);
    expect(() => answers.enter('other', 60)).toThrowError(expect.objectContaining({ code: 'overloaded' }));
    first.leave();
    answers.enter('other', 60);
  });

  it('are left by their absent client when they are cancelled, and only those', () => {
    const { answers, cancel } = open();
    const [one, two] = [answers.enter('acme', 1), answers.enter('acme', 1)];
    one.begun('resp_1');
    two.begun('resp_2');
    let told = 0;
    one.client.onGone(() => told++);
    cancel('resp_1');
    cancel('resp_1');
    one.client.onGone(() => told++);
    expect([one.client.gone, two.client.gone, told]).toEqual([true, false, 2]);
  });
});
