import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationNodeDatum,
} from 'd3-force'
import type { Entity, Graph } from '../../../api/memory.ts'

export interface Place extends SimulationNodeDatum {
  id: string
  x: number
  y: number
  radius: number
  entity: Entity
}

export interface Layout {
  places: Map<string, Place>
  /** Goes on until it has come to rest; `redraw` is called with each step. */
  run(redraw: () => void): () => void
}

/** Milliseconds of a frame that may be spent on moving. */
const budget = 9

/** Places entities so that facts are short and nothing lies upon another; what had a place begins there. */
export function layOut({ nodes, edges }: Graph, before: Layout | null): Layout {
  const list = nodes.map((entity) => placeOf(entity, before?.places.get(entity.id)))
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
    .alpha(before ? 0.3 : 1)
    .stop()
  return { places, run: (redraw) => run(simulation, redraw) }
}

/** A seed of its own, so that the same memory looks the same. */
const placeOf = (entity: Entity, before: Place | undefined): Place =>
  ({
    id: entity.id,
    radius: Math.min(4 + Math.sqrt(entity.mentions) * 1.8, 24),
    entity,
    ...(before && { x: before.x, y: before.y }),
  }) as Place

type Simulation = ReturnType<typeof forceSimulation<Place>>

function run(simulation: Simulation, redraw: () => void): () => void {
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches
  let frame = requestAnimationFrame(step)
  return () => cancelAnimationFrame(frame)

  function step() {
    const until = performance.now() + (still ? budget * 3 : budget)
    while (simulation.alpha() > simulation.alphaMin() && performance.now() < until) simulation.tick()
    const over = simulation.alpha() <= simulation.alphaMin()
    if (over || !still) redraw()
    if (!over) frame = requestAnimationFrame(step)
  }
}
