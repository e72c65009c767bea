import { Miniflare, type MiniflareOptions } from 'miniflare'
import type { Bundle } from '../../adapters/worker/bundle.ts'

export interface WorkerdOptions {
  modules: Bundle['modules']
  bindings?: Record<string, string>
  /** The folder of a built UI. */
  ui?: string
  /** The folder that outlives this workerd. */
  persist?: string
  on_log?: (message: string) => unknown
}

/** The Worker in a workerd of its own, configured as in `wrangler.jsonc`. */
export function startWorkerd({ modules, bindings = {}, ui, persist, on_log }: WorkerdOptions): Miniflare {
  const assets: Partial<MiniflareOptions> = ui
    ? {
        assets: {
          directory: ui,
          binding: 'ASSETS',
          workerName: 'hearthd',
          routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
          assetConfig: { html_handling: 'none', not_found_handling: 'none' },
        },
      }
    : {}
  return new Miniflare({
    name: 'hearthd',
    modules,
    modulesRoot: '/',
    compatibilityDate: '2026-01-01',
    durableObjects: { HEARTH: { className: 'Hearth', useSQLite: true } },
    bindings: { SERVICE_SECRET_KEY: 'a key for this test', SERVICE_SETUP_TOKEN: 'let me in', ...bindings },
    ...(persist && { durableObjectsPersist: persist }),
    ...(on_log && { handleStructuredLogs: ({ message }: { message: string }) => void on_log(message) }),
    ...assets,
  })
}
