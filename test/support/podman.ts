import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The image of the tests: nothing but busybox. */
export const testImage = 'localhost/hearthd-test:latest'

/** Why there are no container tests here; null if there are. */
export const podmanMissing: string | null =
  process.env.CONTAINER_TESTS === 'off'
    ? 'containers do not work on this machine'
    : process.getuid?.() !== 0
      ? 'needs root'
      : ['/usr/bin/podman', '/usr/sbin/runc', '/bin/busybox'].filter((path) => !existsSync(path)).join(', ') || null
if (podmanMissing && process.env.CONTAINER_TESTS === 'required')
  throw new Error(`The container tests must run here: missing ${podmanMissing}`)

/** A podman service of the test's own: its images, containers and socket are in a temporary folder. */
export class Podman {
  readonly folder = mkdtempSync(join(tmpdir(), 'hearthd-podman-'))
  readonly socket = join(this.folder, 'podman.sock')
  #service: ChildProcess | undefined
  /** The storage of two services must not be the same. */
  readonly #places = ['--root', join(this.folder, 'root'), '--runroot', join(this.folder, 'run')]

  async start(): Promise<void> {
    const config = join(this.folder, 'containers.conf')
    writeFileSync(
      config,
      '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]\n[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n',
    )
    const args = [
      ...this.#places,
      '--storage-driver',
      'vfs',
      'system',
      'service',
      '--time',
      '0',
      `unix://${this.socket}`,
    ]
    this.#service = spawn('podman', args, {
      stdio: 'ignore',
      // conmon writes its notes there.
      cwd: this.folder,
      env: { ...process.env, CONTAINERS_CONF: config },
    })
    for (let attempt = 0; !existsSync(this.socket); attempt += 1) {
      if (attempt > 300) throw new Error('podman did not start')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await this.#importImage()
  }

  async end(): Promise<void> {
    this.#service?.kill('SIGKILL')
    execFileSync('podman', [...this.#places, '--storage-driver', 'vfs', 'rm', '--all', '--force', '--time', '0'], {
      stdio: 'ignore',
    })
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** A tarball needs no registry. */
  async #importImage(): Promise<void> {
    const root = join(this.folder, 'image')
    for (const name of ['bin', 'tmp', 'workspace', 'etc']) mkdirSync(join(root, name), { recursive: true })
    cpSync('/bin/busybox', join(root, 'bin/busybox'), { dereference: true })
    const programs = execFileSync('/bin/busybox', ['--list'], { encoding: 'utf8' }).trim().split('\n')
    for (const name of programs.filter((one) => one !== 'busybox')) symlinkSync('busybox', join(root, 'bin', name))
    const tar = join(this.folder, 'image.tar')
    execFileSync('tar', ['-C', root, '-cf', tar, '.'])
    const [repo, tag] = testImage.split(/:(?=[^:]*$)/)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const path = `/v1.41/images/create?fromSrc=-&repo=${repo}&tag=${tag}`
    const headers = { 'content-type': 'application/x-tar' }
    const sent = request({ socketPath: this.socket, path, method: 'POST', headers }, (response) => {
      response
        .resume()
        .on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`))))
    })
    sent.on('error', reject)
    sent.end(readFileSync(tar))
    await promise
  }
}
