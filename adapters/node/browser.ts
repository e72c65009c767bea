import { join } from 'node:path'
import type { Browser } from '../../runtime/ports/browser.ts'
import type { BrowserSettings, NodeBrowser } from '../browser/browser.ts'
import { engineSearch, findEngine } from '../browser/engine.ts'
import { closedBrowser } from '../memory/browser.ts'

export const browserFolder = (data_dir: string) => join(data_dir, 'browser')

/** The browser, loaded with the first call that needs it: its driver takes a while and some memory. */
export function lazyBrowser(settings: BrowserSettings): NodeBrowser {
  let loading: Promise<NodeBrowser> | undefined
  let loaded: NodeBrowser | undefined
  const early: ((browser: NodeBrowser) => void)[] = []
  const load = () => {
    loading ??= import('../browser/browser.ts').then(({ createBrowser }) => {
      loaded = createBrowser(settings)
      for (const tell of early.splice(0)) tell(loaded)
      return loaded
    })
    return loading
  }
  /** Listens from the moment on that there is something to hear. */
  const listen = (begin: (browser: NodeBrowser) => () => void) => {
    let stop: (() => void) | null = loaded ? begin(loaded) : null
    let wanted = true
    if (!loaded)
      early.push((browser) => {
        if (wanted) stop = begin(browser)
      })
    return () => {
      wanted = false
      stop?.()
    }
  }
  return {
    engine: () => findEngine(engineSearch(settings)),
    presets: async () => (await load()).presets(),
    status: () => loaded?.status() ?? closedBrowser,
    configure: async (setup) => (await load()).configure(setup),
    close: async () => (await loading)?.close(),
    end: async () => (await loading)?.end(),
    act: async (action, options) => (await load()).act(action, options),
    snapshot: async (options) => (await load()).snapshot(options),
    screenshot: async (options) => (await load()).screenshot(options),
    pdf: async (tab_id) => (await load()).pdf(tab_id),
    text: async (options) => (await load()).text(options),
    evaluate: async (expression, tab_id) => (await load()).evaluate(expression, tab_id),
    upload: async (target, files) => (await load()).upload(target, files),
    tabs: async () => (await load()).tabs(),
    openTab: async (options) => (await load()).openTab(options),
    closeTab: async (id) => (await load()).closeTab(id),
    activateTab: async (id) => (await load()).activateTab(id),
    requests: () => loaded?.requests() ?? [],
    console: () => loaded?.console() ?? [],
    downloads: () => loaded?.downloads() ?? [],
    forgetDownload: async (id) => loaded?.forgetDownload(id) ?? false,
    startHar: async () => (await load()).startHar(),
    stopHar: async (options) => (await load()).stopHar(options),
    mock: async (mock) => (await load()).mock(mock),
    clearMocks: async () => (await load()).clearMocks(),
    cookies: async () => (await load()).cookies(),
    addCookies: async (cookies) => (await load()).addCookies(cookies),
    clearCookies: async () => (await load()).clearCookies(),
    storageState: async () => (await load()).storageState(),
    restoreState: async (state) => (await load()).restoreState(state),
    onAct: (listener) => listen((browser) => browser.onAct(listener)),
    onChange: (listener) => listen((browser) => browser.onChange(listener)),
    async *frames(options): ReturnType<Browser['frames']> {
      yield* (await load()).frames(options)
    },
    input: async (input) => (await load()).input(input),
    startVideo: async (options) => (await load()).startVideo(options),
    stopVideo: async () => (await load()).stopVideo(),
  }
}
