import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSessionStore } from '../../web/api/session.ts'

const register = vi.fn(async () => ({ pushManager: { getSubscription: async () => ({ unsubscribe }) } }))
const unsubscribe = vi.fn()
const kept = new Map<string, string>()
const localStorage = {
  getItem: (name: string) => kept.get(name) ?? null,
  setItem: (name: string, value: string) => void kept.set(name, value),
  removeItem: (name: string) => void kept.delete(name),
}
beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('navigator', { serviceWorker: { addEventListener: () => undefined, register } })
  vi.stubGlobal('localStorage', localStorage)
  vi.stubGlobal('addEventListener', () => undefined)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.clearAllMocks()
  kept.clear()
})

const person = (user_id: string) => ({ token: user_id, expires_at: '9999-12-01T00:00:00Z', user_id })
const firstPage = () => vi.advanceTimersByTimeAsync(10_000)

async function begin() {
  const { keepCode } = await import('../../web/app/keep-code.ts')
  const session = createSessionStore()
  keepCode(session)
  return session
}

test('the worker is registered for each person who signs in, and not for one who has left', async () => {
  const session = await begin()
  await firstPage()
  session.set(person('ada'))
  session.clear()
  await firstPage()
  expect(register).toHaveBeenCalledTimes(0)
  session.set(person('ada'))
  await firstPage()
  session.clear()
  session.set(person('ann'))
  await firstPage()
  expect(register).toHaveBeenCalledTimes(2)
})

test('a browser that notifies one person stops when the next one signs in', async () => {
  const { notifiedId } = await import('../../web/parts/notify.tsx')
  kept.set('hearthd.notify', 'push_1 ada')
  const session = await begin()
  session.set(person('ada'))
  await firstPage()
  expect([notifiedId(), unsubscribe.mock.calls.length]).toEqual(['push_1', 0])
  // The session of the first one has ended by itself.
  session.clear()
  session.set(person('ann'))
  expect(notifiedId()).toBe('off')
  await firstPage()
  expect([kept.has('hearthd.notify'), unsubscribe.mock.calls.length]).toEqual([false, 1])
})
