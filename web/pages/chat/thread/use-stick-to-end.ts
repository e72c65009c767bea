import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** Pixels from the end that still count as the end. */
const nearly = 60

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
  const before = useRef({ top: 0, height: 0 })

  const toEnd = useCallback(
    (behavior: ScrollBehavior = 'instant') => {
      sticks.current = true
      setAway(false)
      scroller.current?.scrollTo({ top: scroller.current.scrollHeight, behavior })
    },
    [scroller],
  )

  useLayoutEffect(() => {
    const box = scroller.current
    const grown = content.current
    if (!box || !grown) return
    const stick = () => {
      if (sticks.current) box.scrollTop = box.scrollHeight
    }
    const scrolled = () => {
      const { scrollTop, scrollHeight, clientHeight } = box
      const atEnd = scrollHeight - scrollTop - clientHeight < nearly
      // Content that shrinks also moves the place up; only a person moves up while it keeps its height.
      const up = scrollTop < before.current.top - 1 && scrollHeight >= before.current.height
      if (up && !atEnd) sticks.current = false
      if (atEnd) sticks.current = true
      before.current = { top: scrollTop, height: scrollHeight }
      setAway(!sticks.current)
    }
    const observer = new ResizeObserver(stick)
    observer.observe(grown)
    observer.observe(box)
    box.addEventListener('scroll', scrolled, { passive: true })
    stick()
    return () => {
      observer.disconnect()
      box.removeEventListener('scroll', scrolled)
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
