import type { Host } from '../host.ts'
import type { WorkKind } from './kind.ts'

/** Kinds of work by name. A `Map` is one too. */
export interface WorkKinds {
  get(kind: string): WorkKind | undefined | Promise<WorkKind | undefined>
}

/** The kinds that the areas of a host contribute, each loaded when first asked for. */
export const workKinds = ({ areas }: Pick<Host, 'areas'>): WorkKinds => ({
  get: (name) => areas.find(({ work }) => work && Object.hasOwn(work, name))?.work?.[name]?.(),
})

export async function requireKind(host: Pick<Host, 'areas'>, name: string): Promise<WorkKind> {
  const kind = await workKinds(host).get(name)
  if (!kind) throw new Error(`No area has a kind of work called ${name}`)
  return kind
}
