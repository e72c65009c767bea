/** The page's only style. The Content-Security-Policy contains its hash, so it must be embedded unchanged. */
export const style = `
:root { color-scheme: light dark; --line: light-dark(#d7dade, #3a3f45); --soft: light-dark(#f4f5f7, #22262b);
  --quiet: light-dark(#596068, #a4abb3); --accent: light-dark(#0b5cad, #7db8f5) }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; font: 1rem/1.5 system-ui, sans-serif;
  background: light-dark(#fff, #16191d); color: light-dark(#1a1d21, #e6e8eb); overflow-wrap: anywhere }
h1 { margin: 0 } h2 { margin: 2.5rem 0 .5rem; padding-top: .5rem; text-transform: capitalize }
h3 { margin: 1rem 0 .25rem; font-size: .95rem }
a { color: var(--accent) }
code { font: .875em ui-monospace, monospace }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; list-style: none }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; background: var(--soft) }
summary { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; padding: .6rem .75rem;
  min-height: 2.75rem; cursor: pointer }
summary span { color: var(--quiet); flex: 1 1 16rem }
summary:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
details > div { padding: 0 .75rem .75rem }
.method { font-weight: 700; min-width: 4rem }
.quiet { color: var(--quiet) }
ul.fields { margin: .25rem 0; padding-left: 1rem; list-style: none }
ul.fields ul.fields { border-left: 2px solid var(--line) }
ul.fields > li { margin: .2rem 0 }
.name { font-weight: 600 }
`
