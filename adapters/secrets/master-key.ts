import { hkdfSync, randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { derivation, masterKeyBytes, readKeyText, WrongMasterKey } from '../../runtime/secrets/sealed-text.ts'
import { isCode } from '../process/files.ts'

/** The key of a `SERVICE_SECRET_KEY`. */
export function keyFromText(text: string): Uint8Array {
  const source = readKeyText(text)
  if (source.kind === 'raw') return source.bytes
  return new Uint8Array(hkdfSync('sha256', source.text, derivation.salt, derivation.info, masterKeyBytes))
}

export const hasKeyFile = (data_dir: string): boolean => fs.existsSync(join(data_dir, 'master.key'))

/** The key in `<data_dir>/master.key`. The first start creates it; an existing file is never written. */
export function keyFromFile(data_dir: string): Uint8Array {
  const path = join(data_dir, 'master.key')
  const key = readKey(path)
  if (key) return key
  fs.mkdirSync(data_dir, { recursive: true, mode: 0o700 })
  createKey(path)
  const created = readKey(path)
  if (!created) throw new Error(`${path} was removed while it was created`)
  return created
}

function readKey(path: string): Uint8Array | null {
  let file: number
  try {
    file = fs.openSync(path, 'r')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw new WrongMasterKey(`The master key ${path} cannot be opened`, { cause: error })
  }
  try {
    return readWhole(file, path)
  } finally {
    fs.closeSync(file)
  }
}

function readWhole(file: number, path: string): Uint8Array {
  const stat = fs.fstatSync(file)
  if (!stat.isFile()) throw new WrongMasterKey(`The master key ${path} is not a file`)
  if (stat.size !== masterKeyBytes) {
    const rule = `holds ${stat.size} bytes instead of ${masterKeyBytes}`
    throw new WrongMasterKey(`The master key ${path} ${rule}; restore it from a backup; it cannot be recreated`)
  }
  const keyIsOpenToOthers = (stat.mode & 0o077) !== 0 && process.platform !== 'win32'
  if (keyIsOpenToOthers) fs.fchmodSync(file, 0o600)
  return new Uint8Array(fs.readFileSync(file))
}

/** Written to a temporary file and linked: if two daemons start at once, one complete key wins. */
function createKey(path: string): void {
  const temporary = `${path}.${randomBytes(8).toString('hex')}.tmp`
  try {
    fs.writeFileSync(temporary, randomBytes(masterKeyBytes), { mode: 0o600, flag: 'wx', flush: true })
    publish(temporary, path)
  } finally {
    fs.rmSync(temporary, { force: true })
  }
}

function publish(temporary: string, path: string): void {
  try {
    fs.linkSync(temporary, path)
  } catch (error) {
    if (isCode(error, 'EEXIST')) return
    // Some file systems (exFAT, some network shares) have no hard links; `wx` never overwrites either.
    if (!isCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) throw error
    fs.writeFileSync(path, fs.readFileSync(temporary), { mode: 0o600, flag: 'wx', flush: true })
  }
}
