import type { Routes } from './items.ts'
import type { Passed } from './state.ts'

/**
 * What a run passes on at each output: the items at these positions. With one output there are no routes, because it gets
 * everything. Outputs without items are left out, unless all are.
 */
export function routed(
  run: number,
  outputs: ReadonlyMap<string, readonly number[]>,
): { routes?: Routes; passed: Passed[] } {
  const all = [...outputs]
  const filled = all.filter(([, positions]) => positions.length > 0)
  if (filled.length <= 1) {
    const [output = 'main'] = filled[0] ?? all[0] ?? []
    return { passed: [{ output, source: { run } }] }
  }
  return {
    routes: Object.fromEntries(filled),
    passed: filled.map(([output]) => ({ output, source: { run, output } })),
  }
}
