import { lazy } from 'react'

type AnyComponent = Awaited<ReturnType<Parameters<typeof lazy>[0]>>['default']

/** A component in its own chunk: `lazily(() => import('./map.tsx'), 'MapView')`. */
export const lazily = <Name extends string, Module extends Record<Name, AnyComponent>>(
  load: () => Promise<Module>,
  name: Name,
) => lazy<Module[Name]>(async () => ({ default: (await load())[name] }))
