/** The routes below some first segments of a path, loaded when the first request asks for one of them. */
export interface Area<Route> {
  /** As `firstSegment` says them; no two areas share one. */
  under: readonly string[]
  load(): Promise<readonly Route[]>
}

/** `/api/agents/x` → `api/agents`; `/health` → `health`; `/ws/events` → `ws`. */
export function firstSegment(path: string): string {
  const [first = '', second = ''] = path.split('/').filter(Boolean)
  return first === 'api' ? `api/${second}` : first
}

/** Routes that are there already, each with its equals. */
export function areasOf<Route extends { path: string }>(routes: readonly Route[]): Area<Route>[] {
  const grouped = Map.groupBy(routes, ({ path }) => firstSegment(path))
  return [...grouped].map(([segment, own]) => ({ under: [segment], load: async () => own }))
}

/** The routes of all areas, for what speaks of every one of them. */
export async function loadAll<Route>(areas: readonly Area<Route>[]): Promise<Route[]> {
  return (await Promise.all(areas.map((area) => area.load()))).flat()
}
