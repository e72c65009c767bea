import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Bubblewrap, sandboxUser } from '../../../adapters/bubblewrap/bubblewrap.ts'
import { createClock } from '../../../adapters/clock/clock.ts'
import { createDisk } from '../../../adapters/disk/files.ts'
import { sandboxContract, sandboxEscapes, withContainer } from '../../contracts/sandbox.ts'

const folder = mkdtempSync(join(tmpdir(), 'hearthd-bubblewrap-'))
afterAll(() => rmSync(folder, { recursive: true }))

const engine = new Bubblewrap({ folder, clock: createClock() })
const owner = process.getuid?.() === 0 ? { owner: { uid: sandboxUser, gid: sandboxUser } } : {}
const tested = async () => ({ engine, files: createDisk(folder, owner), image: '' })
const { available, problem } = await engine.status()
if (!available && process.env.CONTAINER_TESTS === 'required') throw new Error(`Bubblewrap must work here: ${problem}`)

describe.skipIf(!available)(`bubblewrap${available ? '' : ` (skipped: ${problem})`}`, () => {
  sandboxContract(tested)
  sandboxEscapes(tested)

  test.each([0, 1, 2, 4, 6, 8, 10, 15, 20, 30, 50])(
    'a command ends whenever it is stopped: after %d ms',
    async (delay) => {
      await withContainer(await tested(), async (_, spec) => {
        const argv = ['sleep', '100']
        const command = { argv, stdin: new Uint8Array(), env: {}, workdir: '/', timeout_seconds: 100 }
        const stop = new AbortController()
        setTimeout(() => stop.abort(new Error('enough')), delay)
        const run = async () => {
          for await (const _ of engine.run(spec, command, stop.signal));
        }
        await expect(run()).rejects.toThrow('enough')
      })
    },
  )

  test('names that the daemon refuses are counted and removed, however deep', async () => {
    const { files } = await tested()
    await withContainer(await tested(), async (run, { id }) => {
      const fill = 'mkdir a:b; head -c 3000000 /dev/zero > a:b/con; ln -s /etc link; mkfifo pipe'
      await run(`${fill}; i=0; while [ $i -lt 150 ]; do mkdir d && cd d || exit; i=$((i+1)); done`)

      expect(await files.size(id, 10_000)).toBeNull()
      expect((await run('mv d e && mkdir d && mv e/d/d/d x && rm -r x e')).exit_code).toBe(0)
      expect(await files.size(id, 10_000)).toBeGreaterThan(3_000_000)
      await run('i=0; while [ $i -lt 150 ]; do mkdir d && cd d || exit; i=$((i+1)); done')
      await files.removeRoot(id)
      expect(existsSync(join(folder, id))).toBe(false)
    })
  })

  test.runIf(existsSync('/usr/bin/perl')).each([
    ['the keyring of the session', { x64: '250, 0, -3, 1', arm64: '219, 0, -3, 1' }],
    ['a key of the user', { x64: '250, 0, -4, 1', arm64: '219, 0, -4, 1' }],
    ['io_uring', { x64: '425, 1, 0', arm64: '425, 1, 0' }],
    ['userfaultfd', { x64: '323, 1', arm64: '282, 1' }],
    ['the x32 ABI', { x64: '0x40000027', arm64: '219, 0, -3, 1' }],
  ])('refuses the system call for %s', async (_, numbers) => {
    const call = numbers[process.arch as keyof typeof numbers]
    await withContainer(await tested(), async (run) => {
      const { stdout } = await run(`perl -e 'print syscall(${call}), " ", $! + 0'`)

      expect(stdout).toBe('-1 1')
    })
  })

  test('environment variables are not visible in the list of processes', async () => {
    await withContainer(await tested(), async (_, spec) => {
      const env = { TOKEN: `secret-${process.pid}`, LD_PRELOAD: '/workspace/none.so' }
      const argv = ['sh', '-c', 'echo "$TOKEN"; sleep 100']
      const command = { argv, stdin: new Uint8Array(), env, workdir: '/', timeout_seconds: 100 }
      const stop = new AbortController()
      let text = ''
      const processes = () => execFileSync('ps', ['-ewwo', 'args'], { encoding: 'utf8' })
      const run = async () => {
        for await (const output of engine.run(spec, command, stop.signal)) {
          if ('exit_code' in output) break
          text += Buffer.from(output.bytes)
          if (!text.includes('secret') || stop.signal.aborted) continue
          await expect.poll(processes).toContain('echo "$TOKEN"')
          expect(processes()).not.toContain(env.TOKEN)
          stop.abort(new Error('enough'))
        }
      }
      await expect(run()).rejects.toThrow('enough')
      expect(text).toContain(env.TOKEN)
      const hidden = { ...command, env: { A: 'x\0--bind\0/\0/host' } }
      const { signal } = new AbortController()
      await expect(engine.run(spec, hidden, signal).next()).rejects.toThrow('NUL')
    })
  })

  test('a command that is too long for the system ends with what to do', async () => {
    await withContainer(await tested(), async (run) => {
      await expect(run('', { argv: ['echo', 'x'.repeat(200_000)] })).rejects.toThrow('write it to a file')
    })
  })

  test('a command that needs too much memory in all ends with the reason', async () => {
    await withContainer(await tested(), async (run) => {
      const each = 'head -c 40000000 /dev/zero | tail | sleep 10 &'
      await expect(run(`for i in 1 2 3; do ${each} done; wait`)).rejects.toThrow('more than 64 MB of memory')
    })
  })
})

test('a program that is not there, or does not work, is not available', async () => {
  const clock = createClock()
  const missing = new Bubblewrap({ folder, clock, program: join(folder, 'none') })
  expect(await missing.status()).toMatchObject({ available: false, version: null })

  const broken = join(folder, 'broken')
  writeFileSync(
    broken,
    '#!/bin/sh\n[ "$1" = --version ] && echo "bubblewrap 9.9.9" && exit 0\necho "No permissions" >&2\nexit 1\n',
  )
  chmodSync(broken, 0o755)
  expect(await new Bubblewrap({ folder, clock, program: broken }).status()).toEqual({
    available: false,
    version: '9.9.9',
    problem: expect.stringMatching(/cannot start a command here: No permissions\. Install bubblewrap/),
  })
})
