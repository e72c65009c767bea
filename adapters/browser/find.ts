import type { Page } from 'playwright'
import { BrowserFailure, type ElementTrace } from '../../runtime/ports/browser.ts'
import { type FoundIn, traceSource } from './page/inside/trace.ts'
import { insideSource } from './page/snapshot.ts'
import { evaluateIn, type World, worldsOf } from './page/worlds.ts'
import { within } from './within.ts'

/** An element that was found again. */
export interface Found {
  /** For the driver. */
  selector: string
  /** In which way, for people. */
  locator: string
  /** Lets go of it. */
  forget(): Promise<void>
}

type Way = keyof FoundIn

/** The best first. */
const ways: readonly Way[] = ['role_name', 'label', 'test_id', 'text', 'loose', 'css']
/** What can be trusted while a page may still be on its way. */
const sure: readonly Way[] = ['role_name', 'label', 'test_id']
/** Milliseconds before a lesser way, or one of several, is taken. */
const patience = 1_200
const pause = 100
const frameLimit = 3_000

interface Candidate {
  world: World
  place: number
}

/** Looks for an element by its trace, in whatever frame it is, until `until`. Throws `BrowserFailure`. */
export async function findTraced(
  page: Page,
  trace: ElementTrace,
  { until, signal }: { until: number; signal?: AbortSignal | undefined },
): Promise<Found> {
  const key = crypto.randomUUID()
  const begun = Date.now()
  for (;;) {
    signal?.throwIfAborted()
    const candidates = await lookFor(page, trace, key)
    const settled = Date.now() - begun >= patience || Date.now() >= until
    const chosen = choose(candidates, trace, settled)
    if (chosen) return foundAs(chosen, { trace, key, worlds: candidates.worlds })
    if (Date.now() >= until) throw lost(trace)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

interface Candidates {
  worlds: World[]
  of: Map<Way, Candidate[]>
}

async function lookFor(page: Page, trace: ElementTrace, key: string): Promise<Candidates> {
  const of = new Map<Way, Candidate[]>()
  const worlds = [...((await within(frameLimit, worldsOf(page)))?.all.values() ?? [])]
  const wanted = JSON.stringify({ row: null, nth: 0, ...trace })
  const source = `(() => {\n${insideSource}\n${traceSource}
    return JSON.stringify(whileStill(() => findTraced(${JSON.stringify(key)}, ${wanted})))
  })()`
  const told = await Promise.all(
    worlds.map((world) => within(frameLimit, evaluateIn(world, world.apart, source)).catch(() => null)),
  )
  for (const [index, text] of told.entries()) {
    const found = JSON.parse(String(text ?? '{}')) as FoundIn
    for (const way of ways) {
      const places = (found[way] ?? []).map((place) => ({ world: worlds[index] as World, place }))
      if (places.length > 0) of.set(way, [...(of.get(way) ?? []), ...places])
    }
  }
  return { worlds, of }
}

/** The best way that finds exactly one; when none does and nothing more is to be expected, the likeliest of several. */
function choose(
  { of }: Candidates,
  trace: ElementTrace,
  settled: boolean,
): (Candidate & { way: Way }) | null {
  for (const way of settled ? ways : sure) {
    const [first, ...more] = of.get(way) ?? []
    if (first && more.length === 0) return { ...first, way }
  }
  if (!settled) return null
  const way = ways.find((one) => of.has(one))
  const several = way ? (of.get(way) ?? []) : []
  const likely = several[trace.nth ?? 0] ?? several[0]
  return way && likely ? { ...likely, way } : null
}

function foundAs(
  { way, place }: Candidate & { way: Way },
  { trace, key, worlds }: { trace: ElementTrace; key: string; worlds: readonly World[] },
): Found {
  const forgetting = `globalThis.__hearthd_views?.delete(${JSON.stringify(key)})`
  return {
    selector: `hearthd=${key}.${place}`,
    locator: locatorOf(way, trace),
    async forget() {
      await Promise.all(
        worlds.map((world) =>
          within(frameLimit, evaluateIn(world, world.apart, forgetting)).catch(() => null),
        ),
      )
    },
  }
}

function locatorOf(way: Way, { role, name, label, test_id, text, css }: ElementTrace): string {
  const quoted = (value: string | null) => JSON.stringify(value ?? '')
  const told: Record<Way, string> = {
    role_name: `role=${role}[name=${quoted(name)}]`,
    label: `label=${quoted(label)}`,
    test_id: `test_id=${quoted(test_id)}`,
    text: `text=${quoted(text)}`,
    loose: `role=${role}[name~=${quoted(name)}]`,
    css: `css=${css}`,
  }
  return told[way]
}

const lost = ({ role, name, css }: ElementTrace): BrowserFailure =>
  new BrowserFailure(
    'element_not_found',
    `Nothing on the page is like ${name === null ? css : `${JSON.stringify(name.slice(0, 60))} (${role})`}`,
    'The page may have changed more than a recording can follow: take a snapshot, or record it anew',
  )
