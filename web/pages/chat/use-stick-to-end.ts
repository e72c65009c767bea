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

/** Where the list stays while it grows. */
interface Place {
  sticks: boolean
  /** The id of the row that stays centred instead of the end. */
  pinned: string | null
  detached: boolean
}

/**
 * Keeps a growing list scrolled to its end until the person scrolls up. `toMessage` keeps one row centred
 * instead, until the person scrolls.
 */
export function useStickToEnd(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  { first, detached }: Rows,
) {
  const [away, setAway] = useState(false)
  const place = useRef<Place>({ sticks: true, pinned: null, detached })
  place.current.detached = detached

  const toMessage = useCallback((id: string) => {
    Object.assign(place.current, { sticks: false, pinned: id })
    centre(id)
  }, [])

  const toEnd = useCallback(() => {
    Object.assign(place.current, { sticks: true, pinned: null })
    setAway(false)
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
  }, [scroller])

  useLayoutEffect(() => {
    const [box, grown] = [scroller.current, content.current]
    if (!box || !grown) return
    const stop = new AbortController()
    const stick = () => {
      if (place.current.pinned) centre(place.current.pinned)
      else if (place.current.sticks) box.scrollTop = box.scrollHeight
    }
    const observer = new ResizeObserver(stick)
    for (const element of [grown, box]) observer.observe(element)
    stop.signal.addEventListener('abort', () => observer.disconnect())
    listenToScrolling(box, place.current, { signal: stop.signal, setAway })
    stick()
    return () => stop.abort()
  }, [scroller, content])

  useKeepPlace(scroller, first)
  return { away, toEnd, toMessage }
}

const centre = (id: string) => document.getElementById(id)?.scrollIntoView({ block: 'center' })

interface Listening {
  signal: AbortSignal
  setAway: (away: boolean) => void
}

/** Rows whose height becomes known also scroll the list; only input from the person unsticks it. */
function listenToScrolling(box: HTMLElement, place: Place, { signal, setAway }: Listening): void {
  const options = { passive: true, signal }
  let top = 0
  let movedAt = Number.NEGATIVE_INFINITY
  const movedBy = (at: (event: Event) => number) => (event: Event) => {
    movedAt = at(event)
    place.pinned = null
  }
  const scrolled = (event: Event) => {
    const { scrollTop, scrollHeight, clientHeight } = box
    const byPerson = event.timeStamp - movedAt < causes
    if (place.pinned || place.detached) place.sticks = false
    else if (scrollHeight - scrollTop - clientHeight < nearly) place.sticks = true
    else if (byPerson && scrollTop < top) place.sticks = false
    top = scrollTop
    setAway(!place.sticks)
  }
  box.addEventListener('scroll', scrolled, options)
  for (const move of moves)
    box.addEventListener(
      move,
      movedBy(({ timeStamp }) => timeStamp),
      options,
    )
  // Dragging the scrollbar may take long.
  box.addEventListener(
    'pointerdown',
    movedBy(() => Number.POSITIVE_INFINITY),
    options,
  )
}

/**
 * Keeps the visible rows in place where scroll anchoring does not: at the top, and in some browsers
 * everywhere.
 */
function useKeepPlace(scroller: RefObject<HTMLElement | null>, first: string | undefined): void {
  const height = useRef(0)
  const firstItem = useRef(first)
  useLayoutEffect(() => {
    const box = scroller.current
    if (!box) return
    const anchored = CSS.supports('overflow-anchor', 'auto') && box.scrollTop > 0
    if (first !== firstItem.current && firstItem.current !== undefined && !anchored)
      box.scrollTop += box.scrollHeight - height.current
    firstItem.current = first
  })
  useEffect(() => {
    height.current = scroller.current?.scrollHeight ?? 0
  })
}
