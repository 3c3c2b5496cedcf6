/** One small stylesheet: logical properties for both directions, one palette for light and one for dark. */
export const STYLESHEET = `
:root { --paper: #fdfdfb; --ink: #1d2326; --soft: #626d72; --line: #e2e4e0; --card: #ffffff; --accent: #0f6b5c; --tint: #eef5f2; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14181a; --ink: #e7ecea; --soft: #9aa6a6; --line: #2b3336; --card: #1b2023; --accent: #6fd0bb; --tint: #1c2a28; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.75 Vazirmatn, "Noto Sans Arabic", system-ui, -apple-system, "Segoe UI", sans-serif; }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
.bar { display: flex; justify-content: space-between; align-items: center; gap: 1rem; padding: .8rem max(1.2rem, calc(50vw - 560px + 1.2rem)); border-block-end: 1px solid var(--line); background: var(--card); position: sticky; inset-block-start: 0; z-index: 1; }
.bar nav { display: flex; gap: 1.4rem; align-items: baseline; flex-wrap: wrap; }
.brand { font-weight: 700; font-size: 1.15rem; color: var(--ink); }
.bar a[aria-current] { color: var(--ink); font-weight: 600; }
.switch { font-size: .9rem; white-space: nowrap; }
main { max-width: 1280px; margin: 0 auto; padding: 2rem 1.2rem 5rem; }
h1 { font-size: 2rem; line-height: 1.35; margin: .4rem 0 .6rem; } h2 { font-size: 1.35rem; margin: 2.6rem 0 .8rem; } h3 { font-size: 1.02rem; margin: 0; }
.lead { color: var(--soft); font-size: 1.08rem; max-width: 46rem; margin: 0 0 1.6rem; }
pre, code { font: .86rem/1.6 ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; direction: ltr; unicode-bidi: isolate; }
code { background: var(--tint); padding: .1em .35em; border-radius: 4px; overflow-wrap: anywhere; }
pre { background: var(--tint); padding: .9rem 1rem; border-radius: 8px; overflow-x: auto; text-align: left; margin: .7rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
pre code { background: none; padding: 0; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(280px, 1fr)); gap: 1rem; }
.cards.wide { grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.1rem 1.2rem; min-width: 0; }
.card p { margin: .3rem 0 0; color: var(--soft); }
form.filter { display: flex; flex-wrap: wrap; gap: .6rem; margin: 0 0 1.4rem; }
input, select, button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .35rem .7rem; }
button { background: var(--accent); color: var(--paper); border-color: var(--accent); cursor: pointer; }
input:focus-visible, select:focus-visible, button:focus-visible, a:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 12px; background: var(--card); }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
th, td { padding: .6rem .9rem; text-align: start; vertical-align: top; border-block-end: 1px solid var(--line); }
tr:last-child td { border-block-end: 0; } th { color: var(--soft); font-weight: 600; white-space: nowrap; }
td code { white-space: nowrap; }
td.number { white-space: nowrap; font-variant-numeric: tabular-nums; text-align: end; } th.number { text-align: end; }
.tag { display: inline-block; font-size: .78rem; line-height: 1.5; padding: .05rem .5rem; margin-block: .1rem; margin-inline-end: .25rem; border-radius: 999px; background: var(--tint); color: var(--soft); white-space: nowrap; }
.tag.strong { background: var(--accent); color: var(--paper); }
.soft { color: var(--soft); font-size: .88rem; }
details { background: var(--card); border: 1px solid var(--line); border-radius: 10px; margin: .5rem 0; }
summary { cursor: pointer; padding: .6rem .9rem; display: flex; gap: .8rem; align-items: baseline; flex-wrap: wrap; list-style: none; }
summary::-webkit-details-marker { display: none; }
details[open] > summary { border-block-end: 1px solid var(--line); }
details .inside { padding: .8rem 1rem 1rem; }
.method { font: 600 .74rem/1.7 ui-monospace, Menlo, monospace; background: var(--tint); color: var(--accent); border-radius: 6px; padding: 0 .5rem; min-width: 3.8rem; text-align: center; }
.toc { columns: 3 14rem; padding: 0; list-style: none; margin: 0 0 1rem; } .toc li { break-inside: avoid; }
@media (max-width: 560px) { h1 { font-size: 1.5rem; } th, td { padding: .5rem .6rem; } }
`.trim();
