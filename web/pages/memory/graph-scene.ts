import type { EntityType } from '../../../runtime/english/entity-type.ts'
import type { Entity, Graph, GraphEdge } from '../../../runtime/memory/schema.ts'
import type { Scene, View } from './canvas.ts'
import { boundsOf, drawLabel, drawRing, font, kindColor, type Palette } from './drawing.ts'
import type { Layout, Place } from './graph-layout.ts'

/** In the order of their colors. */
export const entityTypes: readonly EntityType[] = [
  ...(['person', 'organization', 'place', 'product', 'concept'] as const),
  ...(['event', 'project', 'file', 'url', 'other'] as const),
]

export const typeColor = (palette: Palette, type: EntityType) => kindColor(palette, entityTypes.indexOf(type))

export interface EntityFilter {
  text: string
  hidden: ReadonlySet<EntityType>
}

export const matches = ({ name, type }: Entity, { text, hidden }: EntityFilter): boolean =>
  !hidden.has(type) && plain(name).includes(plain(text.trim()))

/** Without case and accents. */
const plain = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

const dayOf = (at: string) => at.slice(0, 10)

/** The days on which a fact began or ended, in order, including the first and last of facts that are not shown. */
export function momentsOf({ edges, first_valid_at, last_valid_at }: Graph): string[] {
  const times = [first_valid_at, last_valid_at, ...edges.flatMap((edge) => [edge.valid_at, edge.invalid_at])]
  return [...new Set(times.filter((at) => at !== null).map(dayOf))].toSorted()
}

export type FactStatus = 'valid' | 'ended' | 'future'

/** The status of a fact at the end of a day; an empty day is now. */
export function factStatus({ valid_at, invalid_at }: GraphEdge, day: string): FactStatus {
  if (day === '') return invalid_at === null ? 'valid' : 'ended'
  if (dayOf(valid_at) > day) return 'future'
  return invalid_at !== null && dayOf(invalid_at) <= day ? 'ended' : 'valid'
}

export interface Shown {
  /** Entities that match the filter; the others are almost transparent. */
  matches: (id: string) => boolean
  /** Entities known at the chosen time; the others are not drawn. */
  exists: (id: string) => boolean
  day: string
  chosen: string | null
}

/** More labels than this are not readable. */
const maxLabels = 70

/** Entities as discs, facts as lines; ended facts are dashed. */
export function graphScene(graph: Graph, layout: Layout, { palette, view }: { palette: Palette; view: Shown }): Scene {
  const { chosen } = view
  const places = [...layout.places.values()].filter(({ id }) => view.exists(id))
  const { lines, near } = linesOf(graph, places, { palette, view })
  const drawn: Drawn = {
    places,
    palette,
    opacityOf: ({ id }) => (view.matches(id) ? (chosen === null || id === chosen || near.has(id) ? 1 : 0.35) : 0.08),
    isMarked: ({ id }, view) => id === chosen || id === view.hovered,
  }
  return {
    bounds: () => boundsOf(places),
    draw(context, view) {
      for (const line of lines) drawLines(context, view, layout, line)
      drawDiscs(context, view, drawn)
      drawNames(context, view, drawn)
    },
    pick(at, view) {
      const hit = places.findLast((place) => {
        const { x, y } = view.at(place)
        return Math.hypot(x - at.x, y - at.y) <= radiusOf(place, view) + 4 && drawn.opacityOf(place) > 0.1
      })
      return hit?.id ?? null
    },
  }
}

interface Drawn {
  places: readonly Place[]
  palette: Palette
  opacityOf: (place: Place) => number
  isMarked: (place: Place, view: View) => boolean
}

function drawDiscs(context: CanvasRenderingContext2D, view: View, { places, palette, opacityOf, isMarked }: Drawn) {
  for (const place of places) {
    const { x, y } = view.at(place)
    context.globalAlpha = opacityOf(place)
    context.fillStyle = typeColor(palette, place.entity.type)
    context.beginPath()
    context.arc(x, y, radiusOf(place, view), 0, Math.PI * 2)
    context.fill()
  }
  context.globalAlpha = 1
  for (const place of places.filter((one) => isMarked(one, view)))
    drawRing(context, view.at(place), { size: radiusOf(place, view) + 3, color: palette.text })
}

/** The most mentioned first; labels that would overlap another are left out. */
function drawNames(context: CanvasRenderingContext2D, view: View, drawn: Drawn): void {
  const { places, palette, opacityOf, isMarked } = drawn
  context.font = font(12)
  context.textAlign = 'center'
  context.textBaseline = 'top'
  const taken: { left: number; right: number; y: number }[] = []
  const rankOf = (place: Place) => Number(isMarked(place, view))
  const order = places
    .filter((place) => opacityOf(place) === 1)
    .toSorted((a, b) => rankOf(b) - rankOf(a) || b.entity.mentions - a.entity.mentions)
  for (const place of order) {
    if (taken.length >= maxLabels) return
    const { name } = place.entity
    const at = view.at(place)
    const y = at.y + radiusOf(place, view) + 3
    const half = context.measureText(name).width / 2 + 3
    const [left, right] = [at.x - half, at.x + half]
    if (right < 0 || left > view.width || y < 0 || y > view.height) continue
    if (taken.some((other) => Math.abs(other.y - y) < 15 && other.left < right && left < other.right)) continue
    taken.push({ left, right, y })
    drawLabel(context, palette, name, { x: at.x, y })
  }
}

/** Discs grow with the zoom, but more slowly. */
const radiusOf = ({ radius }: Place, view: View) => Math.max(2, radius * Math.min(2, Math.sqrt(view.scale)))

interface Lines {
  edges: readonly GraphEdge[]
  color: string
  width: number
  alpha: number
  dashed?: boolean
}

/** The facts grouped by how they are drawn, back to front, and the entities next to the chosen one. */
function linesOf(
  graph: Graph,
  places: readonly Place[],
  { palette, view: { matches, day, chosen } }: { palette: Palette; view: Shown },
) {
  const visible = new Set(places.map(({ id }) => id))
  const edges = graph.edges.filter(({ source, target }) => visible.has(source) && visible.has(target))
  const isOwn = ({ source, target }: GraphEdge) => source === chosen || target === chosen
  const isLit = ({ source, target }: GraphEdge) => matches(source) && matches(target)
  const select = (status: FactStatus, test: (edge: GraphEdge) => boolean) =>
    edges.filter((edge) => factStatus(edge, day) === status && test(edge))
  const others = (edge: GraphEdge) => isLit(edge) && !isOwn(edge)
  const { line: color, accent } = palette
  const lines: Lines[] = [
    { edges: select('valid', (edge) => !isLit(edge)), color, width: 1, alpha: 0.15 },
    { edges: select('ended', others), color, width: 1, alpha: 0.8, dashed: true },
    { edges: select('valid', others), color, width: 1.2, alpha: chosen ? 0.4 : 1 },
    { edges: select('ended', isOwn), color: accent, width: 1.5, alpha: 0.8, dashed: true },
    { edges: select('valid', isOwn), color: accent, width: 2, alpha: 1 },
  ]
  return { lines, near: new Set(edges.filter(isOwn).flatMap(({ source, target }) => [source, target])) }
}

function drawLines(
  context: CanvasRenderingContext2D,
  view: View,
  layout: Layout,
  { edges, color, width, alpha, dashed }: Lines,
): void {
  context.globalAlpha = alpha
  context.strokeStyle = color
  context.lineWidth = width
  context.setLineDash(dashed ? [4, 4] : [])
  context.beginPath()
  for (const { source, target } of edges) {
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
