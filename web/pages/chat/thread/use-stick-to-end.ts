import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** Pixels from the end that still count as the end. */
const nearly = 60
/** Milliseconds in which a scroll follows what the person did to cause it. */
const causes = 600
const moves = ['wheel', 'touchmove', 'keydown', 'pointerup'] as const

interface Rows {
  /** Names the first row: rows put in front of it must not move what is read. */
  first: string | undefined
  /** The last row is not the latest, so its end is no place to stay at. */
  detached: boolean
}

/**
 * Keeps a growing list at its end, until the person scrolls up; then nothing moves under their eyes.
 * `toMessage` keeps one row in the middle instead, until the person scrolls.
 */
export function useStickToEnd(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  { first, detached }: Rows,
) {
  const [away, setAway] = useState(false)
  const sticks = useRef(true)
  const held = useRef<string | null>(null)
  const endless = useRef(detached)
  endless.current = detached

  const toMessage = useCallback((id: string) => {
    sticks.current = false
    held.current = id
    document.getElementById(id)?.scrollIntoView({ block: 'center' })
  }, [])

  const toEnd = useCallback(() => {
    sticks.current = true
    held.current = null
    setAway(false)
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
  }, [scroller])

  useLayoutEffect(() => {
    const box = scroller.current
    const grown = content.current
    if (!box || !grown) return
    let top = 0
    let movedAt = Number.NEGATIVE_INFINITY
    const stick = () => {
      if (held.current) document.getElementById(held.current)?.scrollIntoView({ block: 'center' })
      else if (sticks.current) box.scrollTop = box.scrollHeight
    }
    const moved = (event: Event) => {
      movedAt = event.timeStamp
      held.current = null
    }
    // The scrollbar may be held for long.
    const grabbed = () => {
      movedAt = Number.POSITIVE_INFINITY
      held.current = null
    }
    // Rows that get their true height move the place too; only a person's own scrolling lets go of the end.
    const scrolled = (event: Event) => {
      const { scrollTop, scrollHeight, clientHeight } = box
      const atEnd = scrollHeight - scrollTop - clientHeight < nearly
      const byPerson = event.timeStamp - movedAt < causes
      if (held.current || endless.current) sticks.current = false
      else if (atEnd) sticks.current = true
      else if (byPerson && scrollTop < top) sticks.current = false
      top = scrollTop
      setAway(!sticks.current)
    }
    const observer = new ResizeObserver(stick)
    observer.observe(grown)
    observer.observe(box)
    box.addEventListener('scroll', scrolled, { passive: true })
    box.addEventListener('pointerdown', grabbed, { passive: true })
    for (const move of moves) box.addEventListener(move, moved, { passive: true })
    stick()
    return () => {
      observer.disconnect()
      box.removeEventListener('scroll', scrolled)
      box.removeEventListener('pointerdown', grabbed)
      for (const move of moves) box.removeEventListener(move, moved)
    }
  }, [scroller, content])

  useKeepPlace(scroller, first)
  return { away, toEnd, toMessage }
}

/** Browsers without scroll anchoring, and all of them at the very top, move what is read when rows come in front. */
function useKeepPlace(scroller: RefObject<HTMLElement | null>, first: string | undefined): void {
  const height = useRef(0)
  const shown = useRef(first)
  useLayoutEffect(() => {
    const box = scroller.current
    if (!box) return
    const anchored = CSS.supports('overflow-anchor', 'auto') && box.scrollTop > 0
    if (first !== shown.current && shown.current !== undefined && !anchored)
      box.scrollTop += box.scrollHeight - height.current
    shown.current = first
  })
  useEffect(() => {
    height.current = scroller.current?.scrollHeight ?? 0
  })
}
