import type { Outbound } from '../../runtime/ports/outbound.ts'

export interface PackagesSettings {
  data_dir: string
  outbound: Outbound
  /** The path of npm's script; null without npm. */
  npm(): string | null
}
