import type { Host } from '../host.ts'
import { loadOnce } from '../load-once.ts'
import type { WorkKind } from './kind.ts'

/** Looks up kinds of work by name. A `Map` qualifies. */
export interface WorkKinds {
  get(kind: string): WorkKind | undefined | Promise<WorkKind | undefined>
}

/** By the list of areas, so hosts with different areas do not share them. Importing again takes a tenth of a millisecond. */
const loaded = new WeakMap<Host['areas'], Map<string, () => Promise<WorkKind>>>()

/** The work kinds of the host's areas, each loaded on first use. */
export function workKinds({ areas }: Pick<Host, 'areas'>): WorkKinds {
  let kinds = loaded.get(areas)
  if (!kinds) {
    const loads = areas.flatMap(({ work = {} }) => Object.entries(work))
    kinds = new Map(loads.map(([name, load]) => [name, loadOnce(load)]))
    loaded.set(areas, kinds)
  }
  return { get: (name) => kinds.get(name)?.() }
}

export async function requireKind(host: Pick<Host, 'areas'>, name: string): Promise<WorkKind> {
  const kind = await workKinds(host).get(name)
  if (!kind) throw new Error(`No area defines the work kind ${name}`)
  return kind
}
