import { ActionIcon } from '@mantine/core'
import { IconFocusCentered, IconMinus, IconPlus } from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import classes from './stage.module.css'
import { type Point, type Scene, Stage } from './stage.ts'

interface StageViewProps {
  scene: Scene & { attach?: (redraw: () => void) => () => void }
  /** What is to be seen, for those who do not see it. */
  label: string
  /** Null when nothing was hit. */
  open: (key: string | null) => void
  /** Stands beside what the pointer is over. */
  tip?: (key: string) => ReactNode
}

/** Pixels of a press of an arrow. */
const step = 40

export function StageView({ scene, label, open, tip }: StageViewProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [stage, setStage] = useState<Stage | null>(null)
  const [hovered, setHovered] = useState<{ key: string; place: Point } | null>(null)
  const opened = useEffectEvent(open)
  useEffect(() => {
    if (!canvas.current) return
    const made = new Stage(canvas.current, {
      hover: (key, place) => setHovered(key ? { key, place } : null),
      open: (key) => opened(key),
    })
    setStage(made)
    return () => made.close()
  }, [])
  useEffect(() => {
    stage?.show(scene)
    return stage ? scene.attach?.(() => stage.redraw()) : undefined
  }, [stage, scene])
  return (
    <div className={classes.stage}>
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it is moved and zoomed with the keyboard */}
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label={`${label} Arrows move it, + and − zoom, 0 shows all.`}
        className={classes.canvas}
        onKeyDown={(event) => stage && press(event, stage)}
      />
      <div className={classes.buttons}>
        <ActionIcon variant="default" size="lg" aria-label="Zoom in" onClick={() => stage?.zoom(1.5)}>
          <IconPlus size={18} />
        </ActionIcon>
        <ActionIcon variant="default" size="lg" aria-label="Zoom out" onClick={() => stage?.zoom(1 / 1.5)}>
          <IconMinus size={18} />
        </ActionIcon>
        <ActionIcon variant="default" size="lg" aria-label="Show all" onClick={() => stage?.showAll()}>
          <IconFocusCentered size={18} />
        </ActionIcon>
      </div>
      {hovered && tip && <Tip place={hovered.place}>{tip(hovered.key)}</Tip>}
    </div>
  )
}

/** Turns to the other side where there is no room. */
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
    <div ref={tip} className={classes.tip} role="status">
      {children}
    </div>
  )
}

function press(event: KeyboardEvent, stage: Stage): void {
  const acts: Record<string, () => void> = {
    ArrowLeft: () => stage.pan({ x: step, y: 0 }),
    ArrowRight: () => stage.pan({ x: -step, y: 0 }),
    ArrowUp: () => stage.pan({ x: 0, y: step }),
    ArrowDown: () => stage.pan({ x: 0, y: -step }),
    '+': () => stage.zoom(1.3),
    '=': () => stage.zoom(1.3),
    '-': () => stage.zoom(1 / 1.3),
    '0': () => stage.showAll(),
  }
  const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : acts[event.key]
  if (!act) return
  event.preventDefault()
  act()
}
