// Swaps <root>/sub between a folder and a link to <outside>, as fast as it can, until <stop> exists.
import { existsSync, renameSync, rmSync, symlinkSync } from 'node:fs'

const [root, outside, stop] = process.argv.slice(2)
const [sub, aside, link] = ['sub', 'aside', 'link'].map((name) => `${root}/${name}`)

function tried(step) {
  try {
    step()
    return true
  } catch {
    return false
  }
}

symlinkSync(outside, link)
while (!existsSync(stop)) {
  tried(() => renameSync(sub, aside))
  if (tried(() => renameSync(link, sub))) renameSync(sub, link)
  // The victim made the folder anew meanwhile.
  if (!tried(() => renameSync(aside, sub))) rmSync(aside, { recursive: true, force: true })
}
