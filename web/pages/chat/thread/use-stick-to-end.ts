import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** Pixels from the end that still count as the end. */
const nearly = 60
/** Milliseconds in which a scroll follows what the person did to cause it. */
const causes = 600
const moves = ['wheel', 'touchmove', 'keydown', 'pointerup'] as const

/**
 * Keeps a growing list at its end, until the person scrolls up; then nothing moves under their eyes.
 * `first` names the first row: rows put in front of it must not move what is read.
 */
export function useStickToEnd(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  first: string | undefined,
) {
  const [away, setAway] = useState(false)
  const sticks = useRef(true)

  const toEnd = useCallback(() => {
    sticks.current = true
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
      if (sticks.current) box.scrollTop = box.scrollHeight
    }
    const moved = (event: Event) => {
      movedAt = event.timeStamp
    }
    // The scrollbar may be held for long.
    const held = () => {
      movedAt = Number.POSITIVE_INFINITY
    }
    // Rows that get their true height move the place too; only a person's own scrolling lets go of the end.
    const scrolled = (event: Event) => {
      const { scrollTop, scrollHeight, clientHeight } = box
      const atEnd = scrollHeight - scrollTop - clientHeight < nearly
      const byPerson = event.timeStamp - movedAt < causes
      if (atEnd) sticks.current = true
      else if (byPerson && scrollTop < top) sticks.current = false
      top = scrollTop
      setAway(!sticks.current)
    }
    const observer = new ResizeObserver(stick)
    observer.observe(grown)
    observer.observe(box)
    box.addEventListener('scroll', scrolled, { passive: true })
    box.addEventListener('pointerdown', held, { passive: true })
    for (const move of moves) box.addEventListener(move, moved, { passive: true })
    stick()
    return () => {
      observer.disconnect()
      box.removeEventListener('scroll', scrolled)
      box.removeEventListener('pointerdown', held)
      for (const move of moves) box.removeEventListener(move, moved)
    }
  }, [scroller, content])

  useKeepPlace(scroller, first)
  return { away, toEnd }
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
