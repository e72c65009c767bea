import type { Wire } from '../fixtures/wire/index.ts'
import { dataFolder, type RunningDaemon, setUpProcess, startProcess } from '../support/daemon-process.ts'

/** The daemon in a process of its own, with its first key, that can be killed and started again on its data. */
export class Service {
  readonly folder: string
  readonly #env: Record<string, string>
  #daemon: RunningDaemon
  #alive = false
  #key = ''

  private constructor(folder: string, env: Record<string, string>, daemon: RunningDaemon) {
    this.folder = folder
    this.#env = env
    this.#daemon = daemon
  }

  static async start(env: Record<string, string> = {}): Promise<Service> {
    const folder = dataFolder()
    const service = new Service(
      folder,
      env,
      await startProcess(folder, { env: { SERVICE_LOG_LEVEL: 'error', ...env } }),
    )
    service.#began()
    service.#key = (await setUpProcess(service.#daemon)).key
    return service
  }

  /** Another daemon on the database server of the first one. */
  static async beside(first: Service): Promise<Service> {
    const service = new Service(dataFolder(), first.#env, first.#daemon)
    service.#key = first.#key
    await service.restart()
    return service
  }

  /** Makes the wire answer as the provider `openai`, which is then the one that is used. */
  async use(wire: Wire): Promise<void> {
    const access = { api_key: 'sk-test-0123456789', base_url: wire.url.openai, default_model: 'model-a' }
    await this.read('PUT', '/api/providers/openai/key', access)
  }

  get url(): string {
    return this.#daemon.url
  }

  get pid(): number {
    return this.#daemon.pid
  }

  get key(): string {
    return this.#key
  }

  get alive(): boolean {
    return this.#alive
  }

  /** Its log so far: errors, and more when the test's environment asks for it. */
  said(): string {
    return this.#daemon.said()
  }

  send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const init = { method, headers: { authorization: `Bearer ${this.#key}`, ...json, ...headers } }
    return fetch(this.url + path, body === undefined ? init : { ...init, body: JSON.stringify(body) })
  }

  /** The answer as JSON; it must be a success. */
  async read<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await this.send(method, path, body)
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json() as Promise<Answer>
  }

  /** As a power cut would. Resolves when the process is gone. */
  kill(): Promise<void> {
    return this.end('SIGKILL')
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.#alive) this.#daemon.signal(signal)
    this.#alive = false
    await this.#daemon.ended
  }

  async restart(): Promise<void> {
    this.#daemon = await startProcess(this.folder, { env: { SERVICE_LOG_LEVEL: 'error', ...this.#env } })
    this.#began()
  }

  #began(): void {
    const { ended } = this.#daemon
    this.#alive = true
    void ended.then(() => {
      if (this.#daemon.ended === ended) this.#alive = false
    })
  }
}
