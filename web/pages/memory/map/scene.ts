import type { ClusterResponse } from '../../../api/memory.ts'
import { font, kindColour, label, type Paint } from '../stage/paint.ts'
import type { Box, Point, Scene, View } from '../stage/stage.ts'

type Drawn = Pick<ClusterResponse, 'points' | 'clusters'>

/** Pixels from which a point counts as hit. */
const reach = 10
/** Pixels by which labels keep off each other. */
const lineHeight = 18

/** Each episode a point, each cluster a colour with its label in its middle. */
export function mapScene({ points, clusters }: Drawn, paint: Paint, shown: string | null): Scene {
  const places = new Map(clusters.map(({ id }, place) => [id, place]))
  const box = boundsOf(points)
  const size = points.length > 3_000 ? 2.5 : points.length > 600 ? 3.5 : 5

  function dots(context: CanvasRenderingContext2D, view: View, cluster: string): void {
    context.fillStyle = kindColour(paint, places.get(cluster) ?? 0)
    context.globalAlpha = shown === null || shown === cluster ? 0.85 : 0.15
    context.beginPath()
    for (const point of points) {
      if (point.cluster_id !== cluster) continue
      const { x, y } = view.at(point)
      context.moveTo(x + size, y)
      context.arc(x, y, size, 0, Math.PI * 2)
    }
    context.fill()
    context.globalAlpha = 1
  }

  return {
    bounds: () => box,
    draw(context, view) {
      for (const { id } of clusters) dots(context, view, id)
      context.font = font(13, 650)
      context.textAlign = 'center'
      context.textBaseline = 'middle'
      const taken: number[] = []
      for (const cluster of clusters) {
        const [x, y] = cluster.position
        const at = view.at({ x, y })
        while (taken.some((other) => Math.abs(other - at.y) < lineHeight)) at.y += 1
        taken.push(at.y)
        const width = context.measureText(cluster.label).width
        label(context, paint, cluster.label, { x: inside(at.x, width, view.width), y: at.y })
      }
      const point = points.find(({ episode_id }) => episode_id === view.hovered)
      if (point) ring(context, view.at(point), { size: size + 4, colour: paint.text })
    },
    pick(place, view) {
      let best: string | null = null
      let nearest = reach
      for (const point of points) {
        const { x, y } = view.at(point)
        const away = Math.hypot(x - place.x, y - place.y)
        if (away >= nearest) continue
        nearest = away
        best = point.episode_id
      }
      return best
    },
  }
}

export function ring(
  context: CanvasRenderingContext2D,
  { x, y }: Point,
  how: { size: number; colour: string },
): void {
  context.beginPath()
  context.arc(x, y, how.size, 0, Math.PI * 2)
  context.lineWidth = 2
  context.strokeStyle = how.colour
  context.stroke()
}

/** A label does not leave the canvas as long as its point is on it. */
function inside(x: number, width: number, across: number): number {
  if (x < 0 || x > across) return x
  return Math.min(Math.max(x, width / 2 + 6), Math.max(across - width / 2 - 6, width / 2 + 6))
}

export function boundsOf(points: readonly Point[]): Box {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity }
  for (const { x, y } of points) {
    box.left = Math.min(box.left, x)
    box.right = Math.max(box.right, x)
    box.top = Math.min(box.top, y)
    box.bottom = Math.max(box.bottom, y)
  }
  return points.length > 0 ? box : { left: -1, top: -1, right: 1, bottom: 1 }
}
