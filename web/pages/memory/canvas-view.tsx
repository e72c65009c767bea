import { Box, Stack } from '@mantine/core'
import { IconFocusCentered, IconMinus, IconPlus } from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { IconButton } from '../../parts/buttons.tsx'
import { PannableCanvas, type Point, type Scene } from './canvas.ts'
import classes from './memory.module.css'

interface CanvasViewProps {
  scene: Scene & {
    /** Called while the scene is shown, for a scene that moves. Returns a function that stops it. */
    animate?: (redraw: () => void) => () => void
  }
  /** Describes the picture for screen readers. */
  label: string
  /** Null if nothing was hit. */
  open: (key: string | null) => void
  /** Shown next to the item under the pointer. */
  tip?: (key: string) => ReactNode
}

/** A scene on a canvas that can be used with mouse, touch and keyboard. */
export function CanvasView({ scene, label, open, tip }: CanvasViewProps) {
  const { element, canvas, hovered } = useCanvas(scene, open)
  return (
    <Box className="card" pos="relative" style={{ overflow: 'hidden' }}>
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it pans and zooms with the keyboard */}
      <canvas
        ref={element}
        tabIndex={0}
        role="application"
        aria-label={`${label} Arrow keys pan, + and − zoom, 0 shows all.`}
        className={classes.canvas}
        onKeyDown={(event) => canvas && handleKey(event, canvas)}
      />
      <Stack pos="absolute" right="0.6rem" bottom="0.6rem" gap="0.3rem">
        {buttons.map(({ label, icon, act }) => (
          <IconButton
            key={label}
            label={label}
            icon={icon}
            variant="default"
            size="lg"
            onClick={() => canvas && act(canvas)}
          />
        ))}
      </Stack>
      {hovered && tip && <Tip place={hovered.place}>{tip(hovered.key)}</Tip>}
    </Box>
  )
}

function useCanvas(scene: CanvasViewProps['scene'], open: CanvasViewProps['open']) {
  const element = useRef<HTMLCanvasElement>(null)
  const [canvas, setCanvas] = useState<PannableCanvas | null>(null)
  const [hovered, setHovered] = useState<{ key: string; place: Point } | null>(null)
  const opened = useEffectEvent(open)
  useEffect(() => {
    if (!element.current) return
    const created = new PannableCanvas(element.current, {
      hover: (key, place) => setHovered(key ? { key, place } : null),
      open: (key) => opened(key),
    })
    setCanvas(created)
    return () => created.close()
  }, [])
  useEffect(() => {
    canvas?.show(scene)
    return canvas ? scene.animate?.(() => canvas.redraw()) : undefined
  }, [canvas, scene])
  return { element, canvas, hovered }
}

const buttons = [
  { label: 'Zoom in', icon: IconPlus, act: (canvas: PannableCanvas) => canvas.zoom(1.5) },
  { label: 'Zoom out', icon: IconMinus, act: (canvas: PannableCanvas) => canvas.zoom(1 / 1.5) },
  { label: 'Show all', icon: IconFocusCentered, act: (canvas: PannableCanvas) => canvas.showAll() },
]

/** Appears on the side that has room for it. */
function Tip({ place: { x, y }, children }: { place: Point; children: ReactNode }) {
  const tip = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const box = tip.current
    const stage = box?.parentElement
    if (!box || !stage) return
    const room = stage.clientWidth - x - 14
    const left = room < box.offsetWidth ? Math.max(4, x - box.offsetWidth - 14) : x + 14
    box.style.translate = `${left}px ${Math.min(y + 10, stage.clientHeight - box.offsetHeight - 4)}px`
  })
  return (
    <Box
      ref={tip}
      className="card"
      pos="absolute"
      top={0}
      left={0}
      maw="min(20rem, 90%)"
      px="0.7rem"
      py="0.5rem"
      fz="xs"
      bdrs="sm"
      style={{ pointerEvents: 'none', boxShadow: 'var(--mantine-shadow-md)' }}
      role="status"
    >
      {children}
    </Box>
  )
}

/** Pixels per press of an arrow key. */
const step = 40

const keys: Record<string, (canvas: PannableCanvas) => void> = {
  ArrowLeft: (canvas) => canvas.pan({ x: step, y: 0 }),
  ArrowRight: (canvas) => canvas.pan({ x: -step, y: 0 }),
  ArrowUp: (canvas) => canvas.pan({ x: 0, y: step }),
  ArrowDown: (canvas) => canvas.pan({ x: 0, y: -step }),
  '+': (canvas) => canvas.zoom(1.3),
  '=': (canvas) => canvas.zoom(1.3),
  '-': (canvas) => canvas.zoom(1 / 1.3),
  '0': (canvas) => canvas.showAll(),
}

function handleKey(event: KeyboardEvent, canvas: PannableCanvas): void {
  const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key]
  if (!act) return
  event.preventDefault()
  act(canvas)
}
