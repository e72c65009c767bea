/** The door of features: what its neighbours may use. */

// Optional packages, and whether they are installed.
export { browserChromium, memoryVisualization, packState, requirePack } from './packs.ts'
