import { type ComponentProps, createElement, lazy, type ReactNode, Suspense } from 'react'
import { isAnswering } from '../api/is-answering.ts'

type AnyComponent = Awaited<ReturnType<Parameters<typeof lazy>[0]>>['default']

/** A component in its own chunk. A `Suspense` around it says what is shown while it loads. */
export const suspending = <Name extends string, Module extends Record<Name, AnyComponent>>(
  load: () => Promise<Module>,
  name: Name,
) => lazy<Module[Name]>(async () => ({ default: (await loaded(load))[name] }))

/**
 * A component in its own chunk: `lazily(() => import('./map.tsx'), 'MapView')`. `fallback` is shown while it loads;
 * default is nothing, as for a dialog.
 */
export function lazily<Name extends string, Module extends Record<Name, AnyComponent>>(
  load: () => Promise<Module>,
  name: Name,
  fallback: ReactNode | ((props: ComponentProps<Module[Name]>) => ReactNode) = null,
) {
  const Loading: AnyComponent = suspending(load, name)
  return function Lazy(props: ComponentProps<Module[Name]>) {
    const shown = typeof fallback === 'function' ? fallback(props) : fallback
    return createElement(Suspense, { fallback: shown }, createElement(Loading, props))
  }
}

const key = 'hearthd.reloaded'
const missingCode = /dynamically imported module|importing a module script failed|unable to preload css/i
/** Milliseconds between two attempts. */
const pause = 1_000

/**
 * Loads code. While the daemon cannot be reached it waits, since an error would replace what the person sees. If the
 * daemon answers and the code is gone, an upgrade gave it another name: then the page reloads, once per minute.
 */
async function loaded<Module>(load: () => Promise<Module>): Promise<Module> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await load()
    } catch (error) {
      if (!missingCode.test(String(error))) throw error
      const reloadable = Date.now() - Number(sessionStorage.getItem(key)) >= 60_000
      if (await isAnswering('/')) {
        if (!reloadable && attempt > 2) throw error
        if (reloadable && attempt > 1) return reload()
      }
      await new Promise((resolve) => setTimeout(resolve, pause))
      forgetFailedStyles()
    }
  }
}

function reload(): Promise<never> {
  sessionStorage.setItem(key, String(Date.now()))
  location.reload()
  return new Promise(() => undefined)
}

/** Removes the links of failed style sheets: the loader treats any style sheet with a link as loaded. */
function forgetFailedStyles(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')) if (!link.sheet) link.remove()
}
