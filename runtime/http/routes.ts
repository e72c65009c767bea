/** The routes under some path prefixes, loaded when one is first requested. */
export interface Routes<Route> {
  /** Prefixes as returned by `firstSegment`; each belongs to one area only. */
  under: readonly string[]
  load(): Promise<readonly Route[]>
}

/** `/api/agents/x` → `api/agents`; `/health` → `health`; `/ws/events` → `ws`. */
export function firstSegment(path: string): string {
  const [first = '', second = ''] = path.split('/').filter(Boolean)
  return first === 'api' ? `api/${second}` : first
}

/** Groups loaded routes by first segment. */
export function routesOf<Route extends { path: string }>(routes: readonly Route[]): Routes<Route>[] {
  const grouped = Map.groupBy(routes, ({ path }) => firstSegment(path))
  return [...grouped].map(([segment, own]) => ({ under: [segment], load: async () => own }))
}

/** Loads all routes, for documentation and tests. */
export async function loadAll<Route>(routes: readonly Routes<Route>[]): Promise<Route[]> {
  return (await Promise.all(routes.map((one) => one.load()))).flat()
}
