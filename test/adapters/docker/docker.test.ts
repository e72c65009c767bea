import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDisk } from '../../../adapters/disk/files.ts'
import { Docker } from '../../../adapters/docker/docker.ts'
import type { ContainerSpec } from '../../../runtime/ports/sandbox.ts'
import { sandboxContract, sandboxEscapes, withContainer } from '../../contracts/sandbox.ts'
import { Podman, podmanMissing, testImage } from '../../support/podman.ts'

const folder = mkdtempSync(join(tmpdir(), 'hearthd-docker-'))
const user = { uid: 65_534, gid: 65_534 }
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(podmanMissing !== null)(`podman${podmanMissing ? ` (skipped: ${podmanMissing})` : ''}`, () => {
  const podman = new Podman()
  const engine = new Docker({ backend: 'podman', folder, user, sockets: [podman.socket] })
  beforeAll(() => podman.start())
  afterAll(() => podman.end())
  const tested = async () => ({ engine, files: createDisk(folder, { owner: user }), image: testImage })

  sandboxContract(tested)
  sandboxEscapes(tested)

  test('containers keep processes between commands, until they are stopped', async () => {
    await withContainer(await tested(), async (run, { id }) => {
      await run('sleep 300 &')
      expect((await run('ps | grep -c "[s]leep 300"')).stdout).toBe('1\n')
      expect(await engine.list()).toEqual([{ id, running: true }])
      await engine.stop(id)
      expect(await engine.list()).toEqual([{ id, running: false }])

      expect((await run('ps | grep -c "[s]leep 300"')).stdout).toBe('0\n')
    })
  })

  test('an image that does not exist is a failure that names it', async () => {
    const spec = { ...(await tested()), image: 'localhost/no-such-image:1' }
    await expect(withContainer(spec, async () => undefined)).rejects.toThrow('no-such-image')
  })

  test('a container that somebody removed is created again', async () => {
    await withContainer(await tested(), async (run, { id }) => {
      await run('echo tea > kept')
      await engine.remove(id)

      expect((await run('cat kept')).stdout).toBe('tea\n')
    })
  })

  test("podman's socket is not taken for docker's", async () => {
    const docker = new Docker({ backend: 'docker', folder, user, sockets: [podman.socket] })
    expect(await docker.status()).toMatchObject({ available: false })
  })
})

test('without a service nothing is available, whatever programs are installed', async () => {
  const docker = new Docker({ backend: 'docker', folder, user, sockets: [join(folder, 'none.sock')] })

  expect(await docker.status()).toEqual({
    available: false,
    version: null,
    problem: expect.stringContaining('There is no docker service on this machine. Install docker'),
  })
  await expect(docker.list()).rejects.toThrow('There is no docker service')
})

test('a command that the service never starts ends when it is stopped', async () => {
  const socket = join(folder, 'stuck.sock')
  const stop = new AbortController()
  const asked: string[] = []
  const answers: Record<string, object> = { version: {}, info: {}, exec: { Id: 'one' }, kill: {} }
  const server = createServer((request, response) => {
    const last = request.url?.split('/').at(-1) ?? ''
    asked.push(last)
    if (last === 'start') stop.abort(new Error('enough'))
    else response.end(JSON.stringify(answers[last]))
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  const docker = new Docker({ backend: 'docker', folder, user, sockets: [socket] })
  const spec: ContainerSpec = {
    ...{ id: 'box_1', image: 'x', network: 'none', workspace_access: 'rw', env: {} },
    ...{ cpu_limit: 1, memory_mb: 64, pids_limit: 32 },
  }
  const command = { argv: ['true'], stdin: new Uint8Array(), env: {}, workdir: '/', timeout_seconds: 1 }

  await expect(docker.run(spec, command, stop.signal).next()).rejects.toThrow('enough')
  // It may have started meanwhile.
  expect(asked.at(-1)).toBe('kill')
  server.closeAllConnections()
  server.close()
})

test('a service that stops answering ends the call with the reason', async () => {
  const socket = join(folder, 'silent.sock')
  const server = createServer((request, response) => {
    const last = request.url?.split('/').at(-1)
    if (last === 'version' || last === 'info') response.end('{}')
    // The start of a list that never ends.
    else response.write('[')
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  const docker = new Docker({ backend: 'docker', folder, user, sockets: [socket], time_limit: 200 })

  await expect(docker.list()).rejects.toThrow('The engine did not respond within 0.2 s')
  await expect(docker.stop('box_1')).rejects.toThrow('The engine did not respond within 0.2 s')
  server.closeAllConnections()
  server.close()
})

describe('a service that misbehaves', () => {
  const socket = join(folder, 'fake.sock')
  let server: Server
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url?.endsWith('/version')) return void response.end('<html>not an engine</html>')
      response.writeHead(500).end('{"message":"out of order"}')
    })
    await new Promise<void>((resolve) => server.listen(socket, resolve))
  })
  afterAll(() => void server.close())

  test('is not available', async () => {
    const docker = new Docker({ backend: 'docker', folder, user, sockets: [socket] })
    expect(await docker.status()).toMatchObject({
      available: false,
      problem: expect.stringContaining('does not answer'),
    })
  })
})
