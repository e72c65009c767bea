/** What the operator decided before the start. Each member is documented in the root README with its variable. */
export interface Config {
  version: string
  /** Closes the anonymous endpoints and asks the setup token from loopback too. */
  api_key_required: boolean
  /** Origins beside the daemon's own that may call from a browser. */
  cors_origins: string[]
  /** `host:port` values that a `Host` header may name beside loopback and the bound address; lower case. */
  allowed_hosts: string[]
  /** Value that a setup request must carry while bootstrap mode is on. Empty: no remote setup at all. */
  setup_token: string
  /** Bytes. */
  json_limit: number
  upload_limit: number
  /** Bytes that all uploaded files may take together. */
  files_quota: number
  /** Zone of schedules and of the offline model until a profile names one. */
  timezone: string
  /** Checks every answer and event against its declared schema; for tests, because it costs time. */
  check_answers: boolean
  /** False where the process serves other origins too, so that the UI is not offered. */
  ui: boolean
}

export const defaultConfig: Config = {
  version: '0.1.0',
  api_key_required: false,
  cors_origins: ['http://localhost:5173'],
  allowed_hosts: [],
  setup_token: '',
  json_limit: 1024 * 1024,
  upload_limit: 100 * 1024 * 1024,
  files_quota: 10 * 1024 * 1024 * 1024,
  timezone: 'UTC',
  check_answers: false,
  ui: true,
}
