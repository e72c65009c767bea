import { join } from 'node:path'
import { loadOnce } from '../../runtime/load-once.ts'
import type { Browser, TabUser } from '../../runtime/ports/browser.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import type { Embedder } from '../../runtime/ports/embedder.ts'
import type { Mail } from '../../runtime/ports/mail.ts'
import type { Outbound } from '../../runtime/ports/outbound.ts'
import { idleLink } from '../../runtime/ports/tool-servers.ts'
import type { Span, Tracer } from '../../runtime/ports/tracer.ts'
import { minute } from '../../runtime/time.ts'
import type { BrowserSettings, NodeBrowser } from '../browser/browser.ts'
import { engineSearch, findEngine } from '../browser/engine.ts'
import type { DatabasesSettings, NodeDatabases } from '../databases/databases.ts'
import { LocalEmbedder } from '../embedder/local.ts'
import { createVendorEmbedder } from '../embedder/vendors.ts'
import type { LocateHost } from '../mail/mail.ts'
import type { LinkSettings } from '../mcp/link.ts'
import type { NodeToolServers } from '../mcp/tool-servers.ts'
import { closedBrowser } from '../memory/browser.ts'
import type { OtlpTracer, TracerSettings } from '../otlp/tracer.ts'

/** Spans that start before the packages are loaded are not recorded. */
export function lazyTracer(settings: TracerSettings): Tracer & { close(): Promise<void> } {
  const none: Span = { set: () => undefined, fail: () => undefined, end: () => undefined }
  let loaded: OtlpTracer | undefined
  const loading = import('../otlp/tracer.ts').then(({ createTracer }) => {
    loaded = createTracer(settings)
    return loaded
  })
  loading.catch((cause: unknown) => settings.log.write('error', 'cannot record traces', { cause }))
  return {
    start: (...args) => loaded?.start(...args) ?? none,
    close: async () => (await loading.catch(() => undefined))?.close(),
  }
}

type Method = (...args: never[]) => unknown

/**
 * A port whose package is loaded with the first call that needs it: an idle daemon starts faster and stays
 * smaller.
 */
class Lazy<Port extends object> {
  loaded: Port | undefined
  /** Resolves with the port that a call has begun to load; undefined if there is none. */
  loading: Promise<Port | undefined> = Promise.resolve(undefined)
  readonly load: () => Promise<Port>
  readonly #ready = Promise.withResolvers<Port>()

  constructor(create: () => Promise<Port>) {
    this.load = loadOnce(() => {
      const loaded = create().then((port) => {
        this.loaded = port
        this.#ready.resolve(port)
        return port
      })
      this.loading = loaded.catch(() => undefined)
      return loaded
    })
  }

  /** Subscribes as soon as the port is loaded. Returns a function that unsubscribes. */
  subscribe(begin: (port: Port) => () => void): () => void {
    let ended = false
    let stop: (() => void) | undefined
    void this.#ready.promise.then((port) => {
      if (!ended) stop = begin(port)
    })
    return () => {
      ended = true
      stop?.()
    }
  }

  /**
   * The port itself. `own` has the methods that must not load it or that are not async; the rest is
   * forwarded, to a part of the port if `of` is given.
   */
  port(own: Partial<Port>, of = (port: Port): object => port): Port {
    const forward =
      (name: PropertyKey) =>
      async (...args: unknown[]) => {
        const port = of(await this.load()) as Record<PropertyKey, Method>
        return port[name]?.(...(args as never[]))
      }
    return new Proxy(own, {
      get: (_, name) => {
        if (name in own) return own[name as keyof Port]
        // Awaiting the port must not load it.
        return name === 'then' ? undefined : forward(name)
      },
    }) as Port
  }
}

export const browserFolder = (data_dir: string) => join(data_dir, 'browser')

export function lazyBrowser(settings: BrowserSettings): NodeBrowser {
  const lazy = new Lazy(async () => {
    const { withCompactPlaywright } = await import('../browser/compact-source.ts')
    const loaded = await withCompactPlaywright(() => import('../browser/browser.ts'))
    return loaded.createBrowser(settings)
  })
  const browserOf = (user?: TabUser): NodeBrowser => {
    const of = (browser: NodeBrowser): Browser => (user ? browser.as(user) : browser)
    const loaded = () => lazy.loaded && of(lazy.loaded)
    const own: Partial<NodeBrowser> = {
      as: browserOf,
      release: async () => loaded()?.release(),
      engine: () => findEngine(engineSearch(settings)),
      status: () => loaded()?.status() ?? closedBrowser,
      target: async (action) => loaded()?.target(action) ?? null,
      close: async () => {
        const browser = await lazy.loading
        return browser ? of(browser).close() : false
      },
      end: async () => (await lazy.loading)?.end(),
      requests: () => loaded()?.requests() ?? [],
      console: () => loaded()?.console() ?? [],
      downloads: () => loaded()?.downloads() ?? [],
      forgetDownload: async (id) => loaded()?.forgetDownload(id) ?? false,
      onAct: (listener) => lazy.subscribe((browser) => of(browser).onAct(listener)),
      onChange: (listener) => lazy.subscribe((browser) => browser.onChange(listener)),
      async *frames(options) {
        yield* of(await lazy.load()).frames(options)
      },
    }
    return lazy.port(own, of)
  }
  return browserOf()
}

export function lazyToolServers(settings: LinkSettings): NodeToolServers {
  const lazy = new Lazy(async () => (await import('../mcp/tool-servers.ts')).createToolServers(settings))
  return lazy.port({
    tools: (id) => lazy.loaded?.tools(id) ?? null,
    disconnect: async (id) => lazy.loaded?.disconnect(id),
    status: (id) => lazy.loaded?.status(id) ?? idleLink,
    onChange: (listener) => lazy.subscribe((servers) => servers.onChange(listener)),
    close: async () => (await lazy.loading)?.close(),
  })
}

export function lazyMail(outbound: { locateHost: LocateHost }): Mail {
  const lazy = new Lazy(async () =>
    (await import('../mail/mail.ts')).createMail((host, port) => outbound.locateHost(host, port)),
  )
  return lazy.port({
    async *watch(...query) {
      yield* (await lazy.load()).watch(...query)
    },
  })
}

export function lazyDatabases(settings: DatabasesSettings): NodeDatabases {
  const lazy = new Lazy(async () => (await import('../databases/databases.ts')).createDatabases(settings))
  return lazy.port({
    connections: () => lazy.loaded?.connections() ?? 0,
    close: async () => (await lazy.loading)?.close(),
  })
}

/**
 * The local model, whose process starts with the first text, and those of the vendors. A person set the base
 * URL of a vendor, so its own origin may be private; a redirect elsewhere may not.
 */
export function nodeEmbedder(outbound: Outbound, clock: Clock): Embedder {
  const local = new LocalEmbedder({ clock, idle_ms: minute })
  const vendors = createVendorEmbedder((url, init) =>
    outbound.fetch(url, init, { trusted_origins: [new URL(url).origin] }),
  )
  const of = (provider: string) => (provider === 'local' ? local : vendors)
  return {
    describe: (provider, model) => of(provider).describe(provider, model),
    embed: (call) => of(call.provider).embed(call),
    close: () => local.close(),
  }
}
