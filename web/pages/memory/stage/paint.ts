/** Colours of a canvas, which knows no variables of the style sheet. */
export interface Paint {
  text: string
  dimmed: string
  line: string
  surface: string
  accent: string
  /** As many as are told apart at a glance; each 3:1 against the surface. */
  kinds: readonly string[]
}

const light = [
  '#b84410',
  '#1d5fd1',
  '#14803c',
  '#8a35c4',
  '#0d7a8c',
  '#9a6700',
  '#c02670',
  '#55606e',
  '#4d7c0f',
  '#6f6259',
]
const dark = [
  '#f68a55',
  '#7aa7ff',
  '#5ccb83',
  '#c99bff',
  '#4cc3d9',
  '#e9b44c',
  '#f47fb0',
  '#a3b1c2',
  '#a5cc5a',
  '#b9ada6',
]

export function paintOf(scheme: 'light' | 'dark'): Paint {
  return scheme === 'dark'
    ? {
        text: '#e6e8ea',
        dimmed: '#a3a9b1',
        line: '#565b60',
        surface: '#232527',
        accent: '#f68a55',
        kinds: dark,
      }
    : {
        text: '#1d2024',
        dimmed: '#5a626b',
        line: '#b9b5ae',
        surface: '#ffffff',
        accent: '#b84410',
        kinds: light,
      }
}

export const kindColour = (paint: Paint, place: number) =>
  paint.kinds[place % paint.kinds.length] ?? paint.text

/** Text that stays readable upon whatever is below it. */
export function label(
  context: CanvasRenderingContext2D,
  paint: Paint,
  text: string,
  { x, y }: { x: number; y: number },
): void {
  context.lineWidth = 4
  context.lineJoin = 'round'
  context.strokeStyle = paint.surface
  context.strokeText(text, x, y)
  context.fillStyle = paint.text
  context.fillText(text, x, y)
}

export const font = (size: number, weight = 500) =>
  `${weight} ${size}px system-ui, -apple-system, 'Segoe UI', sans-serif`
