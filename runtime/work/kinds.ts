import type { Host } from '../host.ts'
import type { WorkKind } from './kind.ts'

/** Looks up kinds of work by name. A `Map` qualifies. */
export interface WorkKinds {
  get(kind: string): WorkKind | undefined | Promise<WorkKind | undefined>
}

/** The work kinds of the host's areas, each loaded on first use. */
export const workKinds = ({ areas }: Pick<Host, 'areas'>): WorkKinds => ({
  get: (name) => areas.find(({ work }) => work && Object.hasOwn(work, name))?.work?.[name]?.(),
})

export async function requireKind(host: Pick<Host, 'areas'>, name: string): Promise<WorkKind> {
  const kind = await workKinds(host).get(name)
  if (!kind) throw new Error(`No area defines the work kind ${name}`)
  return kind
}
