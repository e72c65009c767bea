import type { PackageSpec } from '../ports/packages.ts'

export interface PackDefinition {
  id: string
  title: string
  description: string
  /** Fixed here: a client chooses the pack, never a package. */
  packages: readonly PackageSpec[]
  /** Platforms that it works on; any when left out. */
  platforms?: readonly string[]
  /** What a person can run on the others. */
  elsewhere?: string
}

export const memoryVisualization = 'memory-visualization'
export const browserChromium = 'browser-chromium'

/** The only list of packs. */
export const packs: readonly PackDefinition[] = [
  {
    id: memoryVisualization,
    title: 'Map of memory',
    description: 'Draws what is remembered as a map and finds what lies together.',
    packages: [
      { name: 'umap-js', version: '1.4.0' },
      { name: 'ml-kmeans', version: '7.0.1' },
    ],
  },
  {
    id: browserChromium,
    title: 'Chromium',
    description: 'A browser for agents, for a machine that has none.',
    packages: [{ name: '@sparticuz/chromium', version: '153.0.0' }],
    platforms: ['linux-x64'],
    elsewhere: 'npx playwright install chromium',
  },
]
