import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationNodeDatum,
} from 'd3-force'
import type { Entity, Graph } from '../../../runtime/memory/schema.ts'

export interface Place extends SimulationNodeDatum {
  id: string
  x: number
  y: number
  radius: number
  entity: Entity
}

export interface Layout {
  places: Map<string, Place>
  /** Runs until the layout is stable and calls `redraw` after each step. Returns a function that stops it. */
  run(redraw: () => void): () => void
}

/** Milliseconds per frame that the simulation may use. */
const frameBudget = 9

/** Keeps facts short and entities apart. Entities of the previous layout start where they were. */
export function layOut({ nodes, edges }: Graph, previous: Layout | null): Layout {
  const list = nodes.map((entity) => placeOf(entity, previous?.places.get(entity.id)))
  const places = new Map(list.map((place) => [place.id, place]))
  const links = edges.flatMap(({ source, target }) => {
    const [from, to] = [places.get(source), places.get(target)]
    return from && to && from !== to ? [{ source: from, target: to }] : []
  })
  const simulation = forceSimulation(list)
    .force('charge', forceManyBody<Place>().strength(-90).distanceMax(600))
    .force('link', forceLink<Place, (typeof links)[number]>(links).distance(56))
    .force('x', forceX<Place>().strength(0.06))
    .force('y', forceY<Place>().strength(0.09))
    .force(
      'collide',
      forceCollide<Place>((place) => place.radius + 3),
    )
    .alphaDecay(0.035)
    .alpha(previous ? 0.3 : 1)
    .stop()
  return { places, run: (redraw) => run(simulation, redraw) }
}

/** Without a position d3 chooses one, always the same for the same graph. */
const placeOf = (entity: Entity, previous: Place | undefined): Place =>
  ({
    id: entity.id,
    radius: Math.min(4 + Math.sqrt(entity.mentions) * 1.8, 24),
    entity,
    ...(previous && { x: previous.x, y: previous.y }),
  }) as Place

type Simulation = ReturnType<typeof forceSimulation<Place>>

/** With reduced motion only the stable layout is drawn. */
function run(simulation: Simulation, redraw: () => void): () => void {
  const reduced = matchMedia('(prefers-reduced-motion: reduce)').matches
  let frame = requestAnimationFrame(step)
  return () => cancelAnimationFrame(frame)

  function step() {
    const until = performance.now() + (reduced ? frameBudget * 3 : frameBudget)
    while (simulation.alpha() > simulation.alphaMin() && performance.now() < until) simulation.tick()
    const stable = simulation.alpha() <= simulation.alphaMin()
    if (stable || !reduced) redraw()
    if (!stable) frame = requestAnimationFrame(step)
  }
}
