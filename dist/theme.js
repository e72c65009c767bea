// Runs before the first paint, so that a dark page never flashes white. `app/theme.ts` owns the key.
;(() => {
  let choice = null
  try {
    choice = localStorage.getItem('hearthd.theme')
  } catch {
    // Storage may be forbidden: the system's scheme is a good answer then.
  }
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.mantineColorScheme = dark ? 'dark' : 'light'
})()
