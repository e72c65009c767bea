/** The routes below some first segments of a path, loaded when one of them is first requested. */
export interface Routes<Route> {
  /** As `firstSegment` says them; no two share one. */
  under: readonly string[]
  load(): Promise<readonly Route[]>
}

/** `/api/agents/x` → `api/agents`; `/health` → `health`; `/ws/events` → `ws`. */
export function firstSegment(path: string): string {
  const [first = '', second = ''] = path.split('/').filter(Boolean)
  return first === 'api' ? `api/${second}` : first
}

/** Routes that are loaded already, grouped by first segment. */
export function routesOf<Route extends { path: string }>(routes: readonly Route[]): Routes<Route>[] {
  const grouped = Map.groupBy(routes, ({ path }) => firstSegment(path))
  return [...grouped].map(([segment, own]) => ({ under: [segment], load: async () => own }))
}

/** Every route, for what lists or checks them all. */
export async function loadAll<Route>(routes: readonly Routes<Route>[]): Promise<Route[]> {
  return (await Promise.all(routes.map((one) => one.load()))).flat()
}
