import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createLocator,
  createOutbound,
  type NodeOutbound,
  type OutboundSettings,
} from '../../../adapters/outbound/outbound.ts'
import { readPolicy } from '../../../runtime/outbound/policy.ts'
import { parseTarget } from '../../../runtime/outbound/targets.ts'
import { OutboundBlocked } from '../../../runtime/ports/outbound.ts'
import { deceptiveNames, hostileAnswers } from './hostile.ts'
import { type LocalServer, startServer } from './servers.ts'

let server: LocalServer
let open: NodeOutbound[]
beforeEach(async () => {
  open = []
  server = await startServer()
})
afterEach(async () => {
  await Promise.all(open.map((guard) => guard.close()))
  await server.close()
})

function guardWith(settings: OutboundSettings): NodeOutbound {
  const guard = createOutbound(settings)
  open.push(guard)
  return guard
}

const answering =
  (...addresses: string[]) =>
  async () =>
    addresses

describe('a name is refused', () => {
  test.each(hostileAnswers.map((answer) => ({ answer })))('if it resolves to $answer', async ({ answer }) => {
    const guard = guardWith({ resolve: answering(...answer) })

    await expect(guard.fetch(`http://public.test:${server.port}/`)).rejects.toThrow(OutboundBlocked)
    await expect(guard.fetch(`https://public.test:${server.port}/`)).rejects.toThrow(OutboundBlocked)
    expect(server.connections()).toBe(0)
  })

  test.each(deceptiveNames)('by its address if it is %s', async (name) => {
    const guard = guardWith({ resolve: answering('127.0.0.1') })

    await expect(guard.fetch(`http://${name}:${server.port}/`)).rejects.toThrow('loopback')
    expect(server.connections()).toBe(0)
  })

  test('if one of its addresses is on the blocklist', async () => {
    const settings = { allowlist: ['127.0.0.0/8'], resolve: answering('127.0.0.1', '::ffff:127.6.6.6') }

    await expect(guardWith({ ...settings, blocklist: ['127.6.0.0/16'] }).fetch('http://public.test/')).rejects.toThrow(
      'blocklist',
    )
  })

  test.each([['*.allowed.test'], ['api.allowed.test']])(
    '%s and its metadata address, even if allowed',
    async (entry) => {
      const guard = guardWith({ allowlist: [entry], resolve: answering('169.254.169.254') })
      const options = { trusted_origins: ['http://api.allowed.test'] }

      await expect(guard.fetch('http://api.allowed.test/', {}, options)).rejects.toThrow('metadata')
    },
  )

  test('if it has no address', async () => {
    await expect(guardWith({ resolve: answering() }).fetch('http://public.test/')).rejects.toThrow('fetch failed')
  })

  test('after ten seconds without an answer', async () => {
    vi.useFakeTimers()
    const parsed = parseTarget('http://slow.test/')
    if (!parsed.ok) throw new Error(parsed.reason)
    const question = {
      target: parsed.target,
      policy: readPolicy(),
      own: { ports: [], addresses: () => [] },
      trusted: false,
    }
    const answer = createLocator(() => new Promise(() => undefined))(question)
    const refused = expect(answer).rejects.toThrow('slow.test was not resolved in time')
    await vi.advanceTimersByTimeAsync(10_000)
    await refused
    vi.useRealTimers()
  })
})

describe('a name that changes its answer', () => {
  test('is resolved once for each connection, which uses that answer', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1']]
    const resolve = vi.fn(async () => answers.shift() ?? ['10.0.0.1'])
    const guard = guardWith({ allowlist: ['127.0.0.1'], resolve })
    const url = `http://rebind.test:${server.port}/`

    expect(await (await guard.fetch(url)).text()).toBe('canary')
    expect(resolve).toHaveBeenCalledTimes(1)
    await guard.close()
    await expect(guard.fetch(url)).rejects.toThrow('private')
    expect(await (await guard.fetch(url)).text()).toBe('canary')
    expect(resolve).toHaveBeenCalledTimes(3)
  })

  test('is checked again between the hops of a redirect', async () => {
    const other = await startServer()
    const answers = [['127.0.0.1'], ['127.0.0.2']]
    const guard = guardWith({ allowlist: ['127.0.0.1'], resolve: async () => answers.shift() ?? [] })
    const to = encodeURIComponent(`http://rebind.test:${other.port}/`)

    await expect(guard.fetch(`http://rebind.test:${server.port}/redirect/302?to=${to}`)).rejects.toThrow('loopback')
    expect(other.connections()).toBe(0)
    await other.close()
  })
})

describe('a name is let through', () => {
  test.each([
    ['api.test', 'api.test'],
    ['api.test', 'API.test'],
    ['api.test', 'api.test.'],
    ['*.test', 'deep.api.test'],
    ['api.test:PORT', 'api.test'],
    ['127.0.0.0/8', 'api.test'],
    ['bücher.test', 'xn--bcher-kva.test'],
    ['app.localhost', 'app.localhost'],
    ['printer.local', 'printer.local'],
    ['metadata.google.internal', 'metadata.google.internal'],
  ])('when the allowlist has %s: %s', async (entry, host) => {
    const allowlist = [entry.replace('PORT', String(server.port))]
    const guard = guardWith({ allowlist, resolve: answering('127.0.0.1') })

    expect(await (await guard.fetch(`http://${host}:${server.port}/`)).text()).toBe('canary')
  })

  test.each(['localhost', 'model.lan', 'db.internal'])('if %s is trusted', async (host) => {
    const origin = `http://${host}:${server.port}`
    const guard = guardWith({ resolve: answering('127.0.0.1') })

    expect(await (await guard.fetch(`${origin}/v1`, {}, { trusted_origins: [origin] })).text()).toBe('canary')
  })

  test('and its next address is tried if the first is unreachable', async () => {
    const single = await startServer(['127.0.0.1'])
    const guard = guardWith({ allowlist: ['api.test'], resolve: answering('127.0.0.2', '127.0.0.1') })

    expect((await guard.fetch(`http://api.test:${single.port}/`)).status).toBe(200)
    await single.close()
  })

  test.each([
    ['*.test', 'test'],
    ['api.test', 'xapi.test'],
    ['api.test', 'api.test.evil.test'],
    ['api.test:1234', 'api.test'],
  ])('but %s does not mean %s', async (entry, host) => {
    const guard = guardWith({ allowlist: [entry], resolve: answering('127.0.0.1') })

    await expect(guard.fetch(`http://${host}:${server.port}/`)).rejects.toThrow('loopback')
  })
})
