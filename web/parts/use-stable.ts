import { shallowEqual } from '@mantine/hooks'
import { useCallback, useLayoutEffect, useRef } from 'react'

/** A function that stays the same and calls the latest one, so that what is memoized is not drawn again. */
export function useStable<Args extends unknown[], Result>(act: (...args: Args) => Result): (...args: Args) => Result {
  const latest = useRef(act)
  useLayoutEffect(() => {
    latest.current = act
  })
  return useCallback((...args: Args) => latest.current(...args), [])
}

/** The last list or object again, as long as its members are the same. */
export function useSame<Value extends object>(value: Value): Value {
  const last = useRef(value)
  const same = shallowEqual(last.current, value) ? last.current : value
  useLayoutEffect(() => {
    last.current = same
  })
  return same
}

/** For `memo`: whether the parts of the props that a component shows are the same. */
export const isSameOf =
  <Props>(shown: (props: Props) => readonly unknown[]) =>
  (before: Props, after: Props): boolean =>
    shallowEqual(shown(before), shown(after))
