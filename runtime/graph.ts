interface Edge {
  from: string
  to: string
}

/** The nodes of one cycle, in order; null if there is none. */
export function findCycle(nodes: Iterable<string>, edges: readonly Edge[]): string[] | null {
  const next = Map.groupBy(edges, ({ from }) => from)
  const done = new Set<string>()
  for (const start of nodes) {
    const path: string[] = []
    const open = [{ node: start, left: (next.get(start) ?? []).map(({ to }) => to) }]
    if (done.has(start)) continue
    path.push(start)
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const to = top.left.pop()
      if (to === undefined) {
        done.add(top.node)
        path.pop()
        open.pop()
      } else if (path.includes(to)) return path.slice(path.indexOf(to))
      else if (!done.has(to)) {
        path.push(to)
        open.push({ node: to, left: (next.get(to) ?? []).map((edge) => edge.to) })
      }
    }
  }
  return null
}
