import type { EntityType, Graph, GraphEdge } from '../../../api/memory.ts'
import { boundsOf, ring } from '../map/scene.ts'
import { font, kindColour, label, type Paint } from '../stage/paint.ts'
import type { Scene, View } from '../stage/stage.ts'
import { entityTypes } from './filter.ts'
import type { Layout, Place } from './layout.ts'
import { standingOf } from './moments.ts'

export interface Shown {
  /** Entities that fit what is asked for; others are hardly seen. */
  fits: (id: string) => boolean
  /** Entities that are known at the chosen time. */
  known: (id: string) => boolean
  day: string
  chosen: string | null
}

/** Labels of one picture: more are a tangle. */
const mostLabels = 70

export const typeColour = (paint: Paint, type: EntityType) => kindColour(paint, entityTypes.indexOf(type))

/** Entities as discs, facts as lines between them; what has ended is dashed. */
export function graphScene(
  graph: Graph,
  layout: Layout,
  { paint, shown }: { paint: Paint; shown: Shown },
): Scene {
  const { fits, known, day, chosen } = shown
  const places = [...layout.places.values()].filter(({ id }) => known(id))
  const seen = new Set(places.map(({ id }) => id))
  const edges = graph.edges.filter(({ source, target }) => seen.has(source) && seen.has(target))
  const lit = (edge: GraphEdge) => fits(edge.source) && fits(edge.target)
  const own = (edge: GraphEdge) => edge.source === chosen || edge.target === chosen
  const near = new Set(edges.filter(own).flatMap(({ source, target }) => [source, target]))
  const strength = ({ id }: Place) =>
    fits(id) ? (chosen === null || id === chosen || near.has(id) ? 1 : 0.35) : 0.08
  const groups = {
    faint: edges.filter((edge) => standingOf(edge, day) === 'holds' && !lit(edge)),
    holds: edges.filter((edge) => standingOf(edge, day) === 'holds' && lit(edge) && !own(edge)),
    past: edges.filter((edge) => standingOf(edge, day) === 'past' && lit(edge) && !own(edge)),
    own: edges.filter((edge) => standingOf(edge, day) === 'holds' && own(edge)),
    ownPast: edges.filter((edge) => standingOf(edge, day) === 'past' && own(edge)),
  }

  function lines(context: CanvasRenderingContext2D, view: View, how: Lines): void {
    context.globalAlpha = how.alpha
    context.strokeStyle = how.colour
    context.lineWidth = how.width
    context.setLineDash(how.dashed ? [4, 4] : [])
    context.beginPath()
    for (const { source, target } of how.edges) {
      const from = layout.places.get(source)
      const to = layout.places.get(target)
      if (!from || !to) continue
      const [a, b] = [view.at(from), view.at(to)]
      context.moveTo(a.x, a.y)
      context.lineTo(b.x, b.y)
    }
    context.stroke()
    context.setLineDash([])
    context.globalAlpha = 1
  }

  /** Discs grow with the picture, by half as much. */
  const sizeOf = ({ radius }: Place, view: View) => Math.max(2, radius * Math.min(2, Math.sqrt(view.scale)))

  function discs(context: CanvasRenderingContext2D, view: View): void {
    for (const place of places) {
      const { x, y } = view.at(place)
      context.globalAlpha = strength(place)
      context.fillStyle = typeColour(paint, place.entity.type)
      context.beginPath()
      context.arc(x, y, sizeOf(place, view), 0, Math.PI * 2)
      context.fill()
    }
    context.globalAlpha = 1
    for (const place of places)
      if (place.id === chosen || place.id === view.hovered)
        ring(context, view.at(place), { size: sizeOf(place, view) + 3, colour: paint.text })
  }

  /** The most mentioned first; one that would lie upon another is left out. */
  function names(context: CanvasRenderingContext2D, view: View): void {
    context.font = font(12)
    context.textAlign = 'center'
    context.textBaseline = 'top'
    const taken: { left: number; right: number; y: number }[] = []
    const first = (place: Place) => place.id === chosen || place.id === view.hovered
    const order = places
      .filter((place) => strength(place) === 1)
      .toSorted((a, b) => Number(first(b)) - Number(first(a)) || b.entity.mentions - a.entity.mentions)
    for (const place of order) {
      if (taken.length >= mostLabels) return
      const at = view.at(place)
      const y = at.y + sizeOf(place, view) + 3
      const half = context.measureText(place.entity.name).width / 2 + 3
      const box = { left: at.x - half, right: at.x + half, y }
      if (box.right < 0 || box.left > view.width || y < 0 || y > view.height) continue
      if (
        taken.some((other) => Math.abs(other.y - y) < 15 && other.left < box.right && box.left < other.right)
      )
        continue
      taken.push(box)
      label(context, paint, place.entity.name, { x: at.x, y })
    }
  }

  return {
    bounds: () => boundsOf(places),
    draw(context, view) {
      lines(context, view, { edges: groups.faint, colour: paint.line, width: 1, alpha: 0.15 })
      lines(context, view, { edges: groups.past, colour: paint.line, width: 1, alpha: 0.8, dashed: true })
      lines(context, view, { edges: groups.holds, colour: paint.line, width: 1.2, alpha: chosen ? 0.4 : 1 })
      lines(context, view, {
        edges: groups.ownPast,
        colour: paint.accent,
        width: 1.5,
        alpha: 0.8,
        dashed: true,
      })
      lines(context, view, { edges: groups.own, colour: paint.accent, width: 2, alpha: 1 })
      discs(context, view)
      names(context, view)
    },
    pick(at, view) {
      const hit = places.findLast((place) => {
        const { x, y } = view.at(place)
        return Math.hypot(x - at.x, y - at.y) <= sizeOf(place, view) + 4 && strength(place) > 0.1
      })
      return hit?.id ?? null
    },
  }
}

interface Lines {
  edges: readonly GraphEdge[]
  colour: string
  width: number
  alpha: number
  dashed?: boolean
}
