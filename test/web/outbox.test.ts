import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from '../../web/api/error.ts'
import { createSessionStore } from '../../web/api/session.ts'
import { sendLater, sendWaiting, stored, waitingIn } from '../../web/app/outbox.ts'
import type { Services } from '../../web/app/services.tsx'

const kept = new Map<string, string>()
beforeEach(() => {
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('addEventListener', () => undefined)
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  kept.clear()
})

const open = vi.fn()
const services = () => ({ api: { open }, session: createSessionStore() }) as unknown as Services
const message = (text: string) => ({ conversation: 'conv_1', text, files: [], user: undefined })
const notFound = new ApiError(404, 'not_found', 'The conversation conv_1 does not exist')

test('what the daemon refuses is not sent again, and says why', async () => {
  sendLater(message('one'))
  sendLater(message('two'))
  open.mockRejectedValueOnce(notFound).mockResolvedValueOnce(new Response())
  const sent = vi.fn()
  await sendWaiting(services(), sent)
  await sendWaiting(services(), sent)
  expect(open).toHaveBeenCalledTimes(2)
  expect(sent.mock.calls.map(([, { text }]) => text)).toEqual(['two'])
  expect(waitingIn(stored())).toMatchObject([{ text: 'one', refused: notFound.message }])
})

test.each([0, 401, 409, 429, 503])('a message keeps waiting after %i', async (status) => {
  open.mockClear()
  sendLater(message('one'))
  open.mockRejectedValueOnce(new ApiError(status, 'x', 'Not now')).mockResolvedValueOnce(new Response())
  const sent = vi.fn()
  await sendWaiting(services(), sent)
  expect(sent).toHaveBeenCalledTimes(0)
  await sendWaiting(services(), sent)
  expect(sent).toHaveBeenCalledTimes(1)
  expect(stored()).toBe('[]')
})
