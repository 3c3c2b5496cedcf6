/** Up to four models can be marked; the tray appears with the first. */
const MAX = 4;

export function comparing(): void {
  const form = document.querySelector<HTMLFormElement>('[data-compare]');
  if (!form) return;
  const boxes = [...document.querySelectorAll<HTMLInputElement>('input[form=compare]')];
  const show = () => {
    const marked = boxes.filter(({ checked }) => checked).length;
    form.hidden = marked === 0;
    for (const box of boxes) box.disabled = !box.checked && marked >= MAX;
  };
  for (const box of boxes) box.addEventListener('change', show);
  show();
}
