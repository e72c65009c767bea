import { afterEach, expect, test, vi } from 'vitest'
import type { Session, SessionStore } from '../../web/api/session.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('the worker is registered for each person who signs in, and not for one who has left', async () => {
  vi.useFakeTimers()
  const register = vi.fn(async () => ({}))
  vi.stubGlobal('navigator', { serviceWorker: { addEventListener: () => undefined, register } })
  const { keepCode } = await import('../../web/app/keep-code.ts')
  let current: Session | null = null
  const listeners = new Set<() => void>()
  const sign = (session: Session | null) => {
    current = session
    for (const listener of listeners) listener()
  }
  const person = (token: string) => ({ token, expires_at: '2026-12-01T00:00:00Z' })
  const store: SessionStore = {
    get: () => current,
    set: sign,
    clear: () => sign(null),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  keepCode(store)
  await vi.advanceTimersByTimeAsync(10_000)
  store.set(person('ada'))
  store.clear()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(register).toHaveBeenCalledTimes(0)
  store.set(person('ada'))
  await vi.advanceTimersByTimeAsync(10_000)
  store.clear()
  store.set(person('ann'))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(register).toHaveBeenCalledTimes(2)
})
