import type { ClusterResponse } from '../../../runtime/memory/schema.ts'
import type { Point, Scene, View } from './canvas.ts'
import { boundsOf, drawLabel, drawRing, font, kindColor, type Palette } from './drawing.ts'

/** Pixels around a point that count as the point. */
const reach = 10
/** Minimum pixels between the baselines of two labels. */
const lineHeight = 18

type Clustered = Pick<ClusterResponse, 'points' | 'clusters'>

/** A point per memory in the color of its cluster, and the label of each cluster in its center. */
export function mapScene(map: Clustered, palette: Palette, highlighted: string | null): Scene {
  const { points, clusters } = map
  const bounds = boundsOf(points)
  const size = points.length > 3_000 ? 2.5 : points.length > 600 ? 3.5 : 5
  return {
    bounds: () => bounds,
    draw(context, view) {
      for (const [index, { id }] of clusters.entries()) {
        context.fillStyle = kindColor(palette, index)
        context.globalAlpha = highlighted === null || highlighted === id ? 0.85 : 0.15
        const own = points.filter(({ cluster_id }) => cluster_id === id)
        drawPoints(context, own.map(view.at), size)
      }
      context.globalAlpha = 1
      drawLabels(context, view, clusters, palette)
      const point = points.find(({ episode_id }) => episode_id === view.hovered)
      if (point) drawRing(context, view.at(point), { size: size + 4, color: palette.text })
    },
    pick(place, view) {
      let nearest: { id: string | null; distance: number } = { id: null, distance: reach }
      for (const point of points) {
        const { x, y } = view.at(point)
        const distance = Math.hypot(x - place.x, y - place.y)
        if (distance < nearest.distance) nearest = { id: point.episode_id, distance }
      }
      return nearest.id
    },
  }
}

function drawPoints(context: CanvasRenderingContext2D, points: readonly Point[], size: number): void {
  context.beginPath()
  for (const { x, y } of points) {
    context.moveTo(x + size, y)
    context.arc(x, y, size, 0, Math.PI * 2)
  }
  context.fill()
}

function drawLabels(context: CanvasRenderingContext2D, view: View, clusters: Clustered['clusters'], palette: Palette) {
  context.font = font(13, 650)
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  const taken: number[] = []
  for (const { label, position } of clusters) {
    const at = view.at({ x: position[0], y: position[1] })
    while (taken.some((other) => Math.abs(other - at.y) < lineHeight)) at.y += 1
    taken.push(at.y)
    const width = context.measureText(label).width
    drawLabel(context, palette, label, { x: inside(at.x, width, view.width), y: at.y })
  }
}

/** Keeps a label on the canvas as long as its center is on it. */
function inside(x: number, width: number, canvasWidth: number): number {
  if (x < 0 || x > canvasWidth) return x
  return Math.min(Math.max(x, width / 2 + 6), Math.max(canvasWidth - width / 2 - 6, width / 2 + 6))
}
