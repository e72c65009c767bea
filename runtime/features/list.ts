import type { Context } from '../context.ts'
import { discoverServers } from '../providers/index.ts'
import { sandboxStatus } from '../sandbox/index.ts'
import { browserChromium, packStates } from './packs.ts'
import type { Feature, FeatureList, Pack } from './schema.ts'

export async function featureList(context: Context): Promise<FeatureList> {
  const packs = await packStates(context)
  const { installation } = context.packages
  const own = await Promise.all([
    database(context),
    browser(context, packs),
    embeddings(context),
    sandbox(context),
    ollama(context),
  ])
  const order = { base: 0, pack: 1, extra: 2 }
  const features = [...own, ...packs.map(ofPack)].sort((left, right) => order[left.kind] - order[right.kind])
  const install = { ...installation, version: context.config.version }
  return { features, packs, install, repair_command: installation.repair_command }
}

const feature = (own: Pick<Feature, 'id' | 'title' | 'kind' | 'status'> & Partial<Feature>): Feature => ({
  source: own.id,
  unsupported_reason: null,
  note: null,
  command: null,
  ...own,
})

const installCommand = (pack_id: string) => `hearthd features install ${pack_id}`

function ofPack({ id, title, description, installed, complete, unsupported_reason }: Pack): Feature {
  const base = { id, title, kind: 'pack', note: description } as const
  if (complete) return feature({ ...base, status: 'ok' })
  if (unsupported_reason) return feature({ ...base, status: 'unsupported', unsupported_reason })
  return feature({ ...base, status: installed ? 'missing' : 'not-installed', command: installCommand(id) })
}

/** Not every host lets its SQLite report its version. */
async function database({ sql }: Context): Promise<Feature> {
  const [row] = await sql.read<{ version: string }>('SELECT sqlite_version() AS version').catch(() => [])
  return feature({
    id: 'database',
    title: 'Database',
    kind: 'base',
    status: 'ok',
    note: `SQLite ${row?.version ?? ''}`.trim(),
  })
}

async function browser({ browser, packages }: Context, packs: readonly Pack[]): Promise<Feature> {
  const own = { id: 'browser', title: 'Browser', kind: 'base' } as const
  const engine = await browser.engine()
  if (engine) {
    const note = engine.kind === 'pack' ? `Chromium ${engine.version ?? ''} of a package`.trim() : engine.executable
    return feature({ ...own, status: 'ok', note })
  }
  if (packages.unsupported)
    return feature({
      ...own,
      status: 'unsupported',
      unsupported_reason: 'This host has no browser; the Node host does',
    })
  const pack = packs.find(({ id }) => id === browserChromium)
  const command = pack?.unsupported_reason ? null : installCommand(browserChromium)
  return feature({ ...own, status: 'missing', note: 'No browser was found on this machine', command })
}

async function embeddings({ embedder, packages }: Context): Promise<Feature> {
  const own = { id: 'embeddings', title: 'Local embeddings', kind: 'extra' } as const
  const model = embedder.describe('local', null)
  if (model) return feature({ ...own, status: 'ok', note: model.name })
  const note = 'Search uses keywords only, unless a vendor creates embeddings'
  const command = packages.installation.repair_command || null
  return feature({ ...own, status: 'not-installed', note, command })
}

async function sandbox(context: Context): Promise<Feature> {
  const own = { id: 'sandbox', title: 'Sandbox for commands', kind: 'extra' } as const
  const { available, backend, engines, problem } = await sandboxStatus(context)
  if (engines.length === 0) return feature({ ...own, status: 'unsupported', unsupported_reason: problem })
  if (!available) return feature({ ...own, status: 'not-installed', note: problem })
  const version = engines.find((engine) => engine.backend === backend)?.version
  return feature({ ...own, status: 'ok', note: [backend, version].filter(Boolean).join(' ') })
}

async function ollama(context: Context): Promise<Feature> {
  const own = { id: 'ollama', title: 'Ollama', kind: 'extra' } as const
  const running = (await discoverServers(context)).find(({ provider }) => provider === 'ollama')
  if (running) return feature({ ...own, status: 'ok', note: running.base_url })
  if (await context.packages.locate(['ollama', 'ollama.exe']))
    return feature({ ...own, status: 'missing', note: 'It is not running', command: 'ollama serve' })
  return feature({ ...own, status: 'not-installed', note: 'Models on your own machine: https://ollama.com' })
}
