import type { Box, Point } from './canvas.ts'

/** Colors for a canvas, which cannot use the variables of the style sheet. */
export interface Palette {
  text: string
  line: string
  surface: string
  accent: string
  /** Easily distinguished; each has a contrast of at least 3:1 to the surface. */
  kinds: readonly string[]
}

const light: Palette = {
  text: '#1d2024',
  line: '#b9b5ae',
  surface: '#ffffff',
  accent: '#b84410',
  kinds: '#b84410 #1d5fd1 #14803c #8a35c4 #0d7a8c #9a6700 #c02670 #55606e #4d7c0f #6f6259'.split(' '),
}

const dark: Palette = {
  text: '#e6e8ea',
  line: '#565b60',
  surface: '#232527',
  accent: '#f68a55',
  kinds: '#f68a55 #7aa7ff #5ccb83 #c99bff #4cc3d9 #e9b44c #f47fb0 #a3b1c2 #a5cc5a #b9ada6'.split(' '),
}

export const paletteOf = (scheme: 'light' | 'dark'): Palette => (scheme === 'dark' ? dark : light)

export const kindColor = ({ kinds, text }: Palette, index: number) => kinds[index % kinds.length] ?? text

export const font = (size: number, weight = 500) =>
  `${weight} ${size}px system-ui, -apple-system, 'Segoe UI', sans-serif`

/** Text with an outline, readable on any background. */
export function drawLabel(context: CanvasRenderingContext2D, palette: Palette, text: string, { x, y }: Point): void {
  context.lineWidth = 4
  context.lineJoin = 'round'
  context.strokeStyle = palette.surface
  context.strokeText(text, x, y)
  context.fillStyle = palette.text
  context.fillText(text, x, y)
}

export function drawRing(
  context: CanvasRenderingContext2D,
  { x, y }: Point,
  { size, color }: { size: number; color: string },
): void {
  context.beginPath()
  context.arc(x, y, size, 0, Math.PI * 2)
  context.lineWidth = 2
  context.strokeStyle = color
  context.stroke()
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
