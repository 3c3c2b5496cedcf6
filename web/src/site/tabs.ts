/** Sections that stand below each other become tabs. Arrows follow the direction of reading. */
export function tabs(): void {
  let number = 0;
  for (const box of document.querySelectorAll<HTMLElement>('[data-tabs]')) {
    const panels = [...box.querySelectorAll<HTMLElement>(':scope > [data-tab]')];
    if (panels.length < 2) continue;
    const list = document.createElement('div');
    list.className = 'seg';
    list.dir = 'ltr';
    list.setAttribute('role', 'tablist');
    list.setAttribute('aria-label', box.dataset['tabs'] ?? '');
    const buttons = panels.map((panel) => makeTab(panel, number++));
    const choose = (chosen: number) => {
      panels.forEach((panel, at) => {
        panel.hidden = at !== chosen;
      });
      buttons.forEach((button, at) => {
        button.setAttribute('aria-selected', String(at === chosen));
        button.tabIndex = at === chosen ? 0 : -1;
      });
    };
    buttons.forEach((button, at) => {
      button.addEventListener('click', () => choose(at));
      button.addEventListener('keydown', (event) => {
        const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
        if (step === 0) return;
        const next = (at + step + buttons.length) % buttons.length;
        choose(next);
        buttons[next]?.focus();
      });
    });
    list.append(...buttons);
    box.prepend(list);
    box.classList.add('tabbed');
    choose(0);
  }
}

function makeTab(panel: HTMLElement, number: number): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = panel.dataset['tab'] ?? '';
  button.id = `tab-${number}`;
  panel.id ||= `tab-panel-${number}`;
  button.setAttribute('role', 'tab');
  button.setAttribute('aria-controls', panel.id);
  panel.setAttribute('role', 'tabpanel');
  panel.setAttribute('aria-labelledby', button.id);
  panel.removeAttribute('aria-label');
  return button;
}
