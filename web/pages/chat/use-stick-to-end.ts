import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** Pixels from the end that count as the end. */
const nearly = 60
/** Milliseconds within which a scroll event is attributed to an input of the person. */
const causes = 600
const moves = ['wheel', 'touchmove', 'keydown', 'pointerup'] as const

interface Rows {
  /** Key of the first row: rows added before it must not move the visible ones. */
  first: string | undefined
  /** The last row is not the latest message, so the list does not stick to its end. */
  detached: boolean
}

/**
 * Keeps a growing list scrolled to its end until the person scrolls up. `toMessage` keeps one row centred instead,
 * until the person scrolls.
 */
export function useStickToEnd(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  { first, detached }: Rows,
) {
  const [away, setAway] = useState(false)
  const sticks = useRef(true)
  const pinned = useRef<string | null>(null)
  const noEnd = useRef(detached)
  noEnd.current = detached

  const toMessage = useCallback((id: string) => {
    sticks.current = false
    pinned.current = id
    document.getElementById(id)?.scrollIntoView({ block: 'center' })
  }, [])

  const toEnd = useCallback(() => {
    sticks.current = true
    pinned.current = null
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
      if (pinned.current) document.getElementById(pinned.current)?.scrollIntoView({ block: 'center' })
      else if (sticks.current) box.scrollTop = box.scrollHeight
    }
    const moved = (event: Event) => {
      movedAt = event.timeStamp
      pinned.current = null
    }
    // Dragging the scrollbar may take long.
    const grabbed = () => {
      movedAt = Number.POSITIVE_INFINITY
      pinned.current = null
    }
    // Rows whose height becomes known also scroll the list; only input of the person unsticks it.
    const scrolled = (event: Event) => {
      const { scrollTop, scrollHeight, clientHeight } = box
      const atEnd = scrollHeight - scrollTop - clientHeight < nearly
      const byPerson = event.timeStamp - movedAt < causes
      if (pinned.current || noEnd.current) sticks.current = false
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

/** Keeps the visible rows in place where scroll anchoring does not: at the top, and in some browsers everywhere. */
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
