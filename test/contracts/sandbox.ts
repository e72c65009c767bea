import { expect, test } from 'vitest'
import type { Files } from '../../runtime/ports/files.ts'
import type { Command, ContainerSpec, SandboxEngine } from '../../runtime/ports/sandbox.ts'

export interface Tested {
  engine: SandboxEngine
  files: Files
  image: string
}

export interface Ran {
  stdout: string
  stderr: string
  exit_code: number
}

let containers = 0

/** A container that is removed after `use`. */
export async function withContainer<Result>(
  { engine, image }: Tested,
  use: (run: (command: string, changes?: Partial<Command>) => Promise<Ran>, spec: ContainerSpec) => Promise<Result>,
  changes: Partial<ContainerSpec> = {},
): Promise<Result> {
  containers += 1
  const spec: ContainerSpec = {
    ...{ id: `box_test${process.pid}x${containers}`, image, network: 'none', cpu_limit: 1, memory_mb: 64 },
    ...{ pids_limit: 32, workspace_access: 'rw', env: {} },
    ...changes,
  }
  const limit = AbortSignal.timeout(60_000)
  await engine.create(spec, limit)
  const run = async (command: string, own: Partial<Command> = {}) => {
    const ran: Ran = { stdout: '', stderr: '', exit_code: -1 }
    const call = {
      argv: ['sh', '-c', command],
      stdin: new Uint8Array(),
      env: {},
      workdir: '/workspace',
      timeout_seconds: 20,
    }
    await engine.start(spec, limit)
    const signal = AbortSignal.timeout(20_000)
    for await (const output of engine.run(spec, { ...call, ...own }, signal)) {
      if ('exit_code' in output) ran.exit_code = output.exit_code
      // What floods the output is not kept.
      else if (ran[output.stream].length < 100_000) ran[output.stream] += Buffer.from(output.bytes)
    }
    return ran
  }
  try {
    return await use(run, spec)
  } finally {
    await engine.remove(spec.id)
  }
}

/** What every engine must do. */
export function sandboxContract(tested: () => Promise<Tested>): void {
  test('is available, with its version', async () => {
    const { engine } = await tested()

    expect(await engine.status()).toEqual({ available: true, version: expect.any(String), problem: null })
  })

  test('runs a command with its input, and returns output and exit code', async () => {
    await withContainer(await tested(), async (run) => {
      expect(await run('cat; echo warm >&2; exit 3', { stdin: Buffer.from('tea') })).toEqual({
        stdout: 'tea',
        stderr: 'warm\n',
        exit_code: 3,
      })
      expect(await run('', { argv: ['echo', '$HOME; ls'] })).toMatchObject({
        stdout: '$HOME; ls\n',
        exit_code: 0,
      })
    })
  })

  test('sets variables of the container and of the command', async () => {
    const changes = { env: { CUP: 'blue', TEA: 'green' } }
    await withContainer(
      await tested(),
      async (run) => expect((await run('echo $CUP $TEA', { env: { TEA: 'black' } })).stdout).toBe('blue black\n'),
      changes,
    )
  })

  test('keeps the workspace between commands, and shares it with the daemon', async () => {
    const both = await tested()
    await withContainer(both, async (run, { id }) => {
      await both.files.write(id, 'in/tea.txt', Buffer.from('green'))
      expect((await run('cat in/tea.txt && echo black > in/cup.txt && rm in/tea.txt')).exit_code).toBe(0)

      expect(Buffer.from((await both.files.read(id, 'in/cup.txt')) ?? [])).toEqual(Buffer.from('black\n'))
      expect((await run('ls in')).stdout).toBe('cup.txt\n')
    })
  })

  test('a read-only workspace cannot be changed; without one there is none', async () => {
    const both = await tested()
    await withContainer(both, async (run) => expect((await run('touch /workspace/x')).exit_code).not.toBe(0), {
      workspace_access: 'ro',
    })
    await withContainer(
      both,
      async (run) => expect((await run('ls -A /workspace', { workdir: '/' })).stdout).toBe(''),
      { workspace_access: 'none' },
    )
  })

  test('a large output arrives whole', async () => {
    const { engine, ...rest } = await tested()
    await withContainer({ engine, ...rest }, async (_, spec) => {
      let bytes = 0
      const argv = ['head', '-c', '5000000', '/dev/zero']
      const command = { argv, stdin: new Uint8Array(), env: {}, workdir: '/', timeout_seconds: 20 }
      for await (const output of engine.run(spec, command, AbortSignal.timeout(30_000)))
        if ('bytes' in output) bytes += output.bytes.byteLength
      expect(bytes).toBe(5_000_000)
    })
  })

  test('a command ends when its signal aborts, and when its reader stops', async () => {
    const { engine, ...rest } = await tested()
    await withContainer({ engine, ...rest }, async (run, spec) => {
      const command = {
        argv: ['sh', '-c', 'echo up; sleep 100'],
        stdin: new Uint8Array(),
        env: {},
        workdir: '/',
        timeout_seconds: 100,
      }
      const stop = new AbortController()
      const stopped = (async () => {
        for await (const _ of engine.run(spec, command, stop.signal)) stop.abort(new Error('enough'))
      })()
      await expect(stopped).rejects.toThrow('enough')
      await engine.start(spec, AbortSignal.timeout(20_000))
      for await (const _ of engine.run(spec, command, AbortSignal.timeout(20_000))) break

      expect((await run('ps 2>/dev/null | grep -c "[s]leep 100"')).stdout.trim()).toMatch(/^0?$/)
    })
  })

  test('a program that does not exist is an exit code, not a failure', async () => {
    await withContainer(await tested(), async (run) => {
      expect((await run('no-such-program')).exit_code).toBe(127)
    })
  })

  test('stopping and removing what does not exist is no error', async () => {
    const { engine } = await tested()
    await engine.stop('box_none')
    await engine.remove('box_none')
    expect(await engine.list()).toEqual([])
  })
}

/** A command that tries to escape, and what its output must not contain; `\0` marks success. */
export const escapes: [string, string][] = [
  ['reads the password file of the host', 'cat /etc/shadow && echo ESCAPED'],
  ['reads the data of the daemon', 'ls /work /root /home /var/lib/hearthd 2>/dev/null | grep . && echo ESCAPED'],
  ['reads the root through the init process', 'ls /proc/1/root/etc/shadow && echo ESCAPED'],
  ['leaves by parent folders', 'cat ../../../../etc/shadow && echo ESCAPED'],
  ['leaves through a symbolic link', 'ln -s / link; cat link/etc/shadow && echo ESCAPED'],
  ['leaves through a link in /proc', 'ls /proc/self/root/../etc/shadow && echo ESCAPED'],
  [
    'leaves through an open folder',
    'for fd in /proc/self/fd/*; do ls $fd/../etc/shadow 2>/dev/null && echo ESCAPED; done; true',
  ],
  ['reaches the network', 'ping -c 1 -W 1 1.1.1.1 && echo ESCAPED'],
  ['reaches the metadata address', 'wget -T 2 -O - http://169.254.169.254/ && echo ESCAPED'],
  ['reaches this machine', 'wget -T 2 -O - http://127.0.0.1:18781/health && echo ESCAPED'],
  ['resolves names', 'nslookup example.com 2>&1 | grep -q "Address.*[0-9]\\.[0-9]" && echo ESCAPED'],
  ['has an interface besides the loopback', 'ls /sys/class/net 2>/dev/null | grep -v "^lo$" && echo ESCAPED'],
  ['finds the socket of the engine', 'ls /var/run/docker.sock /run/podman/podman.sock && echo ESCAPED'],
  ['writes into the root', 'touch /usr/x /bin/x /x 2>/dev/null && echo ESCAPED'],
  ['makes the root writable', 'mount -o remount,rw / && echo ESCAPED'],
  ['mounts a file system', 'mkdir -p /tmp/m; mount -t tmpfs none /tmp/m && echo ESCAPED'],
  ['mounts proc', 'mkdir -p /tmp/p; mount -t proc proc /tmp/p && echo ESCAPED'],
  ['binds the root', 'mkdir -p /tmp/b; mount --bind / /tmp/b && echo ESCAPED'],
  ['makes a user namespace and mounts in it', 'unshare -r -m sh -c "mount --bind /tmp /usr" && echo ESCAPED'],
  ['becomes root', 'su -c id root </dev/null 2>/dev/null | grep -q uid=0 && echo ESCAPED'],
  ['is root', '[ "$(id -u)" = 0 ] && echo ESCAPED'],
  ['has a capability', 'grep -E "Cap(Eff|Prm|Bnd)" /proc/self/status | grep -v 0000000000000000 && echo ESCAPED'],
  ['may gain privileges', 'grep "NoNewPrivs:.*0" /proc/self/status && echo ESCAPED'],
  [
    'sets the user id of a program',
    'cp /bin/busybox x 2>/dev/null || cp /bin/ls x; chmod 4755 x; chown 0 x && echo ESCAPED',
  ],
  ['makes a device', 'mknod /tmp/disk b 254 0 && echo ESCAPED'],
  [
    'reads a disk',
    'for d in /dev/vda /dev/sda /dev/nvme0n1; do head -c 1 $d 2>/dev/null | grep -q . && echo ESCAPED; done; true',
  ],
  ['reads the memory of the kernel', 'head -c 1 /dev/mem && echo ESCAPED; head -c 10 /proc/kcore && echo ESCAPED'],
  ['triggers the kernel', 'echo b > /proc/sysrq-trigger && echo ESCAPED'],
  ['changes the kernel', 'echo x > /proc/sys/kernel/core_pattern && echo ESCAPED'],
  ['changes control groups', 'mkdir /sys/fs/cgroup/x /sys/fs/cgroup/memory/x && echo ESCAPED'],
  ['sees processes of the host', '[ "$(ls -d /proc/[0-9]* | wc -l)" -gt 20 ] && echo ESCAPED'],
  ['ends the processes of the host', 'kill -9 -1; kill -9 1 2>/dev/null; true'],
  ['changes the root', 'chroot / true && echo ESCAPED'],
  ['sets the host name', 'hostname evil 2>/dev/null && echo ESCAPED'],
  ['sets the clock', 'date -s 2001-01-01 2>/dev/null && date | grep 2001 && echo ESCAPED'],
  ['takes a secret of the daemon', 'env | grep -i -E "secret|service_|token" && echo ESCAPED'],
  ['is a fork bomb', 'b() { b | b & }; b; sleep 1; true'],
  ['fills the memory', 'head -c 500000000 /dev/zero | tail > /dev/null; true'],
  ['fills /tmp', 'head -c 200000000 /dev/zero > /tmp/x; [ "$(wc -c < /tmp/x)" -gt 150000000 ] && echo ESCAPED'],
  [
    'fills /dev/shm',
    'head -c 200000000 /dev/zero > /dev/shm/x; [ "$(wc -c < /dev/shm/x)" -gt 150000000 ] && echo ESCAPED',
  ],
  ['floods the output', 'yes | head -c 3000000'],
  ['leaves a process behind', '(setsid sleep 5 &) ; true'],
]

/** All attempts are contained, and the engine works afterwards. */
export function sandboxEscapes(tested: () => Promise<Tested>): void {
  test.each(escapes)('contains a command that %s', async (_, command) => {
    const both = await tested()
    await withContainer(both, async (run, spec) => {
      const tried = await run(command).catch((thrown: Error) => ({ stdout: thrown.message, stderr: '' }))
      expect(tried.stdout).not.toContain('ESCAPED')
      const next = await run('echo fine')
      // Whoever fills a container with processes has to stop it.
      if (next.exit_code !== 0) await both.engine.stop(spec.id)
      expect(next.exit_code === 0 ? next : await run('echo fine')).toMatchObject({
        stdout: 'fine\n',
        exit_code: 0,
      })
    })
  })

  test('a link out of the workspace is not followed by the daemon', async () => {
    const both = await tested()
    await withContainer(both, async (run, { id }) => {
      await run('ln -s /etc/passwd leak; ln -s /etc folder')

      await expect(both.files.read(id, 'leak')).rejects.toThrow('symbolic link')
      await expect(both.files.read(id, 'folder/passwd')).rejects.toThrow('symbolic link')
      await expect(both.files.write(id, 'folder/x', Buffer.from('x'))).rejects.toThrow('symbolic link')
    })
  })
}
