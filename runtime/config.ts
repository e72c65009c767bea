/** Operator configuration, fixed at startup. The root README documents each option with its environment variable. */
export interface Config {
  version: string
  /** Closes the anonymous endpoints and requires the setup token from loopback too. */
  api_key_required: boolean
  /** Origins, besides the daemon's own, whose pages may call the API. */
  cors_origins: string[]
  /** Accepted `Host` header values (`host:port`, lower case) besides loopback and the bound address. */
  allowed_hosts: string[]
  /** Token required for remote setup while bootstrap mode is on. Empty: remote setup is disabled. */
  setup_token: string
  /** Bytes. */
  json_limit: number
  upload_limit: number
  /** Of an uploaded backup, in bytes. */
  backup_limit: number
  /** Total size limit of uploaded files, in bytes. */
  files_quota: number
  /** Default time zone of schedules and of the offline model; a profile's zone overrides it. */
  timezone: string
  /** Checks every response and event against its declared schema. Slow, so only tests set it. */
  check_answers: boolean
  /** False if the process also serves other origins; the UI is then not served. */
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
  backup_limit: 20 * 1024 * 1024 * 1024,
  files_quota: 10 * 1024 * 1024 * 1024,
  timezone: 'UTC',
  check_answers: false,
  ui: true,
}
