import type { Area } from '../area.ts'

/** Such events are not sent to hooks and webhooks: each would cause the next. */
export const isAboutHooks = (type: string): boolean => type.startsWith('hook.') || type.startsWith('webhook.')

/** The types of events that hooks, webhooks and workflows can receive, in alphabetical order. */
export async function eventTypes({ areas }: { areas: readonly Area[] }): Promise<string[]> {
  const maps = await Promise.all(areas.map(({ events }) => events?.() ?? {}))
  return maps
    .flatMap((map) => Object.keys(map))
    .filter((type) => !isAboutHooks(type))
    .sort()
}
