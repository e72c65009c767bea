import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright'

/** Starts the Chromium that comes as a package, so no machine needs to have one. */
export async function launchChromium(): Promise<Browser> {
  const folder = await unpackedChromium()
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: ['--no-sandbox', '--headless=new'],
    env: { ...process.env, FONTCONFIG_PATH: process.env.FONTCONFIG_PATH ?? fontFolder(folder) },
  })
}

/** The machine's own fonts where it has some, else those of the package. */
const fontFolder = (folder: string) => (existsSync('/etc/fonts') ? '/etc/fonts' : join(folder, 'fonts'))

/**
 * Unpacks once per user and machine. The package itself unpacks into the temporary folder in place, where two test
 * processes, or two users, would meet: so it does that in a folder of its own, which is then renamed.
 */
export async function unpackedChromium(): Promise<string> {
  const temporary = tmpdir()
  const folder = join(temporary, `hearthd-test-chromium-${userInfo().uid}`)
  if (existsSync(join(folder, 'chromium'))) return folder
  const fresh = await mkdtemp(`${folder}-`)
  const { default: packaged } = await import('@sparticuz/chromium')
  const before = process.env.TMPDIR
  process.env.TMPDIR = fresh
  try {
    await packaged.executablePath()
    await rename(fresh, folder)
  } catch (thrown) {
    await rm(fresh, { recursive: true, force: true })
    if (!existsSync(join(folder, 'chromium'))) throw thrown
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
  return folder
}
