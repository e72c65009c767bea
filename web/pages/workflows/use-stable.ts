import { useCallback, useLayoutEffect, useRef } from 'react'

/** A function that stays the same and calls the latest one, so that what is memoized is not drawn again. */
export function useStable<Args extends unknown[], Result>(act: (...args: Args) => Result): (...args: Args) => Result {
  const latest = useRef(act)
  useLayoutEffect(() => {
    latest.current = act
  })
  return useCallback((...args: Args) => latest.current(...args), [])
}
